"""Arithmetic on codes: which predictions match, what they count, and the metrics made of counts."""
