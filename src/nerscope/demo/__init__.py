"""The demonstration data: an original corpus and the outputs of systems that were trained on it."""
