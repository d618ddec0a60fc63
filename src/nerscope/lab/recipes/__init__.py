"""The built-in recipes, one per file. They are discovered: a new file here is a new recipe."""
