"""Functions for data without systems: describe, validate, convert, split."""
