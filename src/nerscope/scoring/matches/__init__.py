"""The built-in matches, one file per family; the registry of matches finds them."""
