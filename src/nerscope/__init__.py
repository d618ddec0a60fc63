"""nerscope evaluates, diagnoses and compares named-entity recognisers."""

from importlib import import_module
from typing import TYPE_CHECKING

from nerscope.errors import (
    AlignmentError,
    FaultError,
    FormatError,
    InputError,
    NerscopeError,
    OutputError,
    UsageError,
)
from nerscope.version import VERSION

if TYPE_CHECKING:
    from nerscope import engines as engines
    from nerscope.annotation.agree import agree
    from nerscope.annotation.agreement import Agreement
    from nerscope.annotation.audit.audit import audit
    from nerscope.annotation.audit.result import Audit
    from nerscope.corpus.corpus import Corpus
    from nerscope.dataset.bias import dataset_bias
    from nerscope.dataset.convert import convert
    from nerscope.dataset.describe import Description, describe
    from nerscope.dataset.hard_tokens import hard_tokens
    from nerscope.dataset.split.split import Splits, split
    from nerscope.dataset.token_subsets import token_subsets
    from nerscope.dataset.validate import Validation, validate
    from nerscope.engines.base import Engine, register_engine
    from nerscope.evaluation.evaluate import evaluate
    from nerscope.evaluation.task import Settings
    from nerscope.experiment.config import load_experiment
    from nerscope.experiment.run import run_experiment
    from nerscope.facets.facet import Facet, View, attribute, facet, register_facet
    from nerscope.formats.answers.source import answers
    from nerscope.formats.base import Format, read, register_format
    from nerscope.formats.columns.conll import ConllFile
    from nerscope.formats.source import Source
    from nerscope.lab.lessons import baseline
    from nerscope.lab.plan import load_plan
    from nerscope.lab.recipe import Lesson, Tagged, register_recipe
    from nerscope.lab.run import run_plan
    from nerscope.render.document import Document, Table, register_output
    from nerscope.results.compare import Comparison, compare
    from nerscope.results.conditions import Condition
    from nerscope.results.contrast import contrast
    from nerscope.results.diagnose import diagnose
    from nerscope.results.gate import gate
    from nerscope.results.needed import power
    from nerscope.results.results import Results
    from nerscope.results.verdict import Verdict
    from nerscope.scoring.matching import register_match
    from nerscope.scoring.metrics import Counts, Metric, ratio, register_metric
    from nerscope.stats.intervals import Sampling
    from nerscope.stats.paired import Method, Paired, register_method

__version__ = VERSION
# A public name is imported when it is first used: numpy alone takes 0.1 s to import, and
# `nerscope --help` needs none of it.
_PUBLIC = {
    "nerscope.annotation.agree": "agree",
    "nerscope.annotation.agreement": "Agreement",
    "nerscope.annotation.audit.audit": "audit",
    "nerscope.annotation.audit.result": "Audit",
    "nerscope.corpus.corpus": "Corpus",
    "nerscope.dataset.bias": "dataset_bias",
    "nerscope.dataset.convert": "convert",
    "nerscope.dataset.describe": "Description describe",
    "nerscope.dataset.hard_tokens": "hard_tokens",
    "nerscope.dataset.split.split": "Splits split",
    "nerscope.dataset.token_subsets": "token_subsets",
    "nerscope.dataset.validate": "Validation validate",
    "nerscope.engines.base": "Engine register_engine",
    "nerscope.evaluation.evaluate": "evaluate",
    "nerscope.evaluation.task": "Settings",
    "nerscope.experiment.config": "load_experiment",
    "nerscope.experiment.run": "run_experiment",
    "nerscope.facets.facet": "Facet View attribute facet register_facet",
    "nerscope.formats.base": "Format read register_format",
    "nerscope.formats.source": "Source",
    "nerscope.formats.columns.conll": "ConllFile",
    "nerscope.formats.answers.source": "answers",
    "nerscope.lab.lessons": "baseline",
    "nerscope.lab.plan": "load_plan",
    "nerscope.lab.recipe": "Lesson Tagged register_recipe",
    "nerscope.lab.run": "run_plan",
    "nerscope.render.document": "Document Table register_output",
    "nerscope.results.compare": "Comparison compare",
    "nerscope.results.conditions": "Condition",
    "nerscope.results.contrast": "contrast",
    "nerscope.results.diagnose": "diagnose",
    "nerscope.results.gate": "gate",
    "nerscope.results.needed": "power",
    "nerscope.results.results": "Results",
    "nerscope.results.verdict": "Verdict",
    "nerscope.scoring.matching": "register_match",
    "nerscope.scoring.metrics": "Counts Metric ratio register_metric",
    "nerscope.stats.intervals": "Sampling",
    "nerscope.stats.paired": "Method Paired register_method",
}
_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names.split()}
__all__ = [
    "Agreement",
    "AlignmentError",
    "Audit",
    "Comparison",
    "Condition",
    "ConllFile",
    "Corpus",
    "Counts",
    "Description",
    "Document",
    "Engine",
    "Facet",
    "FaultError",
    "Format",
    "FormatError",
    "InputError",
    "Lesson",
    "Method",
    "Metric",
    "NerscopeError",
    "OutputError",
    "Paired",
    "Results",
    "Sampling",
    "Settings",
    "Source",
    "Splits",
    "Table",
    "Tagged",
    "UsageError",
    "Validation",
    "Verdict",
    "View",
    "__version__",
    "agree",
    "answers",
    "attribute",
    "audit",
    "baseline",
    "compare",
    "contrast",
    "convert",
    "dataset_bias",
    "describe",
    "diagnose",
    "evaluate",
    "facet",
    "gate",
    "hard_tokens",
    "load_experiment",
    "load_plan",
    "power",
    "ratio",
    "read",
    "register_engine",
    "register_facet",
    "register_format",
    "register_match",
    "register_method",
    "register_metric",
    "register_output",
    "register_recipe",
    "run_experiment",
    "run_plan",
    "split",
    "token_subsets",
    "validate",
]


def __getattr__(name: str) -> object:
    if name == "engines":
        return import_module("nerscope.engines")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'nerscope' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
