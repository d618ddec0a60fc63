"""nerscope: how good a named-entity recogniser is, where it fails, whether B truly beats A."""

from importlib import import_module
from typing import TYPE_CHECKING

from nerscope import engines as engines
from nerscope.corpus.corpus import Corpus
from nerscope.errors import (
    AlignmentError,
    FaultError,
    FormatError,
    InputError,
    NerscopeError,
    OutputError,
    UsageError,
)
from nerscope.evaluation.evaluate import evaluate
from nerscope.evaluation.settings import Settings
from nerscope.facets.facet import Facet, attribute, register_facet
from nerscope.facets.view import View
from nerscope.formats.base import Format, Source, read, register_format
from nerscope.formats.conll import ConllFile
from nerscope.results.results import Results
from nerscope.scoring.counts import Counts, ratio
from nerscope.scoring.matching import register_match
from nerscope.scoring.metrics import Metric, register_metric
from nerscope.version import VERSION

if TYPE_CHECKING:
    from nerscope.dataset.convert import convert
    from nerscope.dataset.describe import Description, describe
    from nerscope.dataset.hard_tokens import hard_tokens
    from nerscope.dataset.split.split import Splits, split
    from nerscope.dataset.validate import Validation, validate
    from nerscope.engines.base import Engine, register_engine
    from nerscope.experiment.config import load_experiment
    from nerscope.experiment.run import run_experiment
    from nerscope.formats.strings import answers
    from nerscope.lab.lessons import baseline
    from nerscope.lab.plan import load_plan
    from nerscope.lab.recipe import Lesson, Tagged, register_recipe
    from nerscope.lab.run import run_plan
    from nerscope.render.document import Document, Table, register_output
    from nerscope.results.compare import Comparison, compare
    from nerscope.results.conditions import Condition
    from nerscope.results.diagnose import diagnose
    from nerscope.results.gate import gate
    from nerscope.results.needed import power
    from nerscope.results.verdict import Verdict
    from nerscope.stats.intervals import Sampling
    from nerscope.stats.paired import Method, Paired, register_method

__version__ = VERSION
# What most programs never use is imported when it is first asked for.
_LATER = {
    "Comparison": "results.compare",
    "Condition": "results.conditions",
    "Description": "dataset.describe",
    "Document": "render.document",
    "Engine": "engines.base",
    "Lesson": "lab.recipe",
    "Method": "stats.paired",
    "Paired": "stats.paired",
    "Sampling": "stats.intervals",
    "Splits": "dataset.split.split",
    "Table": "render.document",
    "Tagged": "lab.recipe",
    "Validation": "dataset.validate",
    "Verdict": "results.verdict",
    "answers": "formats.strings",
    "baseline": "lab.lessons",
    "compare": "results.compare",
    "convert": "dataset.convert",
    "describe": "dataset.describe",
    "diagnose": "results.diagnose",
    "gate": "results.gate",
    "hard_tokens": "dataset.hard_tokens",
    "load_experiment": "experiment.config",
    "load_plan": "lab.plan",
    "power": "results.needed",
    "register_engine": "engines.base",
    "register_method": "stats.paired",
    "register_output": "render.document",
    "register_recipe": "lab.recipe",
    "run_experiment": "experiment.run",
    "run_plan": "lab.run",
    "split": "dataset.split.split",
    "validate": "dataset.validate",
}
__all__ = [
    "AlignmentError",
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
    "answers",
    "attribute",
    "baseline",
    "compare",
    "convert",
    "describe",
    "diagnose",
    "evaluate",
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
    "validate",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'nerscope' has no attribute '{name}'")
    return getattr(import_module(f"nerscope.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return __all__
