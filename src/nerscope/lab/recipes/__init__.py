"""The recipes that come with the package, one a module; importing it makes them known."""
# ruff: noqa: I001  the order is that of the list

from nerscope.lab.recipes import dictionary as dictionary
from nerscope.lab.recipes import perceptron as perceptron
from nerscope.lab.recipes import crf as crf
from nerscope.lab.recipes import spacy as spacy
from nerscope.lab.recipes import bilstm as bilstm
from nerscope.lab.recipes import transformer as transformer
from nerscope.lab.recipes import flair as flair
