"""Facets divide units into levels; each built-in facet is a module that the registry imports."""
