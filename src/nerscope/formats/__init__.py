"""Formats of corpora: one module or one folder per format, found by this package.

Columns are known at once. The modules of all other formats are imported when a file may be in one
of them, or when a name of a format is not known.
"""

from nerscope.formats.columns import conll as conll
