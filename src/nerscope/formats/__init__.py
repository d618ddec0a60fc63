"""Formats of corpora: one module or one folder per format, discovered automatically.

The column format is imported at once. The modules of all other formats are imported when a file may
be in one of them, or when the name of a format is not known yet.
"""

from nerscope.formats.columns import conll as conll
