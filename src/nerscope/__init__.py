"""nerscope: how good a named-entity recogniser really is, where it fails, and whether B truly beats A."""

from nerscope.corpus.corpus import Corpus
from nerscope.evaluate import evaluate
from nerscope.formats.sources import read
from nerscope.results import Results

__all__ = ["Corpus", "Results", "evaluate", "read"]
