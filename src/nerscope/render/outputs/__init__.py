"""The formats of `--format`, one module each; the registry of outputs finds them here."""
