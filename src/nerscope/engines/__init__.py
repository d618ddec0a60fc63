"""Where chunks run: one module an engine; the package loads its own."""

from nerscope.engines import local as local
from nerscope.engines import pool as pool
