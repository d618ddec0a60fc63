"""Ways to divide units. The package loads its own facets; importing it makes them known."""

from nerscope.facets import tmr as tmr  # the order is that of tables

from nerscope.facets import hard as hard  # isort: skip

from nerscope.facets import attributes as attributes  # isort: skip
from nerscope.facets import alignment as alignment  # isort: skip
