"""Divide data into train, dev and test.

`split.py` is the entry point. Each step is one module: `options` checks the options,
`material` reads the sources, `plan` assigns every sentence to a part (with `hard` and `hard_search`
for a designed test set), `write` writes the folder. `texts` copies the text of sentences from a
source without changing a byte.
"""
