"""Divide data into train, dev and test.

`split.py` is the entry point. The steps, one module each: `options` checks what was requested,
`material` reads the sources, `plan` decides which part every sentence goes to (with `hard` and
`hard_search` for a designed test set), `write` writes the folder.
`texts` cuts the text of sentences out of a source byte by byte.
"""
