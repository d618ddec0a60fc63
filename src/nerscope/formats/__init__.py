"""How corpora are written: one module a format, behind one door.

Columns are known at once, all other formats when a file or a name asks for them.
"""

from nerscope.formats import conll as conll
