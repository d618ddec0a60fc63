"""The recipes that come with the package, one a module; importing it makes them known."""

from nerscope.lab.recipes import dictionary as dictionary  # the order is that of the list
