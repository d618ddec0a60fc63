"""The built-in recipes, one file each. A new file here is a new recipe: no list names them."""
