"""Files with one token per line: CoNLL columns and CoNLL-U."""
