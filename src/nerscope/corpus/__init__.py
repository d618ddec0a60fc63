"""Corpora as columns of codes, with their vocabulary, tagging schemes and mentions."""
