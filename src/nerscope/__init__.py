"""nerscope: how good a named-entity recogniser really is, where it fails, and whether B truly beats A."""

from importlib import import_module
from typing import TYPE_CHECKING

from nerscope.version import VERSION

if TYPE_CHECKING:
    from nerscope.corpus.corpus import Corpus
    from nerscope.describe import Description, describe
    from nerscope.errors import AlignmentError, FormatError, InputError, NerscopeError, OutputError, UsageError
    from nerscope.evaluate import evaluate
    from nerscope.facets.facet import Facet, attribute, register_facet
    from nerscope.facets.view import View
    from nerscope.formats.conll import ConllFile
    from nerscope.formats.sources import read
    from nerscope.results import Results
    from nerscope.scoring.matching import match_family
    from nerscope.scoring.metrics import METRICS, Metric
    from nerscope.settings import Settings

# Where each public name lives. Names are loaded when they are first used, so that `nerscope --help` need not wait for numpy.
_HOMES = {
    "AlignmentError": "errors",
    "ConllFile": "formats.conll",
    "Corpus": "corpus.corpus",
    "Description": "describe",
    "Facet": "facets.facet",
    "FormatError": "errors",
    "InputError": "errors",
    "METRICS": "scoring.metrics",
    "Metric": "scoring.metrics",
    "NerscopeError": "errors",
    "OutputError": "errors",
    "Results": "results",
    "Settings": "settings",
    "UsageError": "errors",
    "View": "facets.view",
    "attribute": "facets.facet",
    "describe": "describe",
    "evaluate": "evaluate",
    "match_family": "scoring.matching",
    "read": "formats.sources",
    "register_facet": "facets.facet",
}

__version__ = VERSION
__all__ = [
    "METRICS",
    "AlignmentError",
    "ConllFile",
    "Corpus",
    "Description",
    "Facet",
    "FormatError",
    "InputError",
    "Metric",
    "NerscopeError",
    "OutputError",
    "Results",
    "Settings",
    "UsageError",
    "View",
    "__version__",
    "attribute",
    "describe",
    "evaluate",
    "match_family",
    "read",
    "register_facet",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'nerscope' has no attribute '{name}'")
    thing: object = getattr(import_module(f"nerscope.{_HOMES[name]}"), name)
    globals()[name] = thing  # so that the function `describe` wins over the module of the same name
    return thing
