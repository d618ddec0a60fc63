"""The built-in matches, one file per family; the registry of matches imports them."""
