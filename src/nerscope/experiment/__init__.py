"""Many datasets and systems in one go: the file that names them, the cache, the run."""
