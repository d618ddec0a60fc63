"""nerscope: how good a named-entity recogniser really is, where it fails, and whether B truly beats
A.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from nerscope.corpus.corpus import Corpus
from nerscope.dataset.describe import Description, describe
from nerscope.errors import (
    AlignmentError,
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
from nerscope.formats.base import read
from nerscope.formats.conll import ConllFile
from nerscope.results.results import Results
from nerscope.scoring.matching import match_family
from nerscope.scoring.metrics import METRICS, Metric
from nerscope.version import VERSION

if TYPE_CHECKING:
    from nerscope.experiment.run import load_experiment, run_experiment
    from nerscope.results.compare import Comparison, compare
    from nerscope.results.diagnose import diagnose
    from nerscope.results.gate import Verdict, gate
    from nerscope.stats.intervals import Sampling

__version__ = VERSION
__all__ = [
    "AlignmentError",
    "Comparison",
    "ConllFile",
    "Corpus",
    "Description",
    "Facet",
    "FormatError",
    "InputError",
    "METRICS",
    "Metric",
    "NerscopeError",
    "OutputError",
    "Results",
    "Sampling",
    "Settings",
    "UsageError",
    "Verdict",
    "View",
    "__version__",
    "attribute",
    "compare",
    "describe",
    "diagnose",
    "evaluate",
    "gate",
    "load_experiment",
    "match_family",
    "read",
    "register_facet",
    "run_experiment",
]

# What most programs never use is imported when it is first asked for.
_LATER = {
    "Comparison": "results.compare",
    "Sampling": "stats.intervals",
    "Verdict": "results.gate",
    "compare": "results.compare",
    "diagnose": "results.diagnose",
    "gate": "results.gate",
    "load_experiment": "experiment.run",
    "run_experiment": "experiment.run",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'nerscope' has no attribute '{name}'")
    return getattr(import_module(f"nerscope.{_LATER[name]}"), name)
