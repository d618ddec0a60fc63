"""Interfaces of other tools: the same numbers under the same names."""
