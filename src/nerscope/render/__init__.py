"""Documents for people and programs: one module an output; the package loads its own."""

from nerscope.render import text as text  # isort: skip
from nerscope.render import markdown as markdown  # isort: skip
from nerscope.render import latex as latex  # isort: skip
from nerscope.render import csv as csv  # isort: skip
from nerscope.render import json as json  # isort: skip
from nerscope.render import html as html  # isort: skip
from nerscope.render import junit as junit  # isort: skip
from nerscope.render import github as github  # isort: skip
