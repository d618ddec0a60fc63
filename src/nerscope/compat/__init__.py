"""Interfaces of other tools; importing the package registers their output formats."""

from nerscope.compat import conlleval as conlleval
