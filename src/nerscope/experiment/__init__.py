"""Experiments: many datasets and systems, named in one file, with a cache of finished work."""
