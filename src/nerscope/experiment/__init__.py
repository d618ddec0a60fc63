"""Experiments: many datasets and systems in one file, with a cache of results."""
