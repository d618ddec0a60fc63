"""Questions about data alone: describe, validate, convert, split."""
