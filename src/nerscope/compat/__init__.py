"""Interfaces of other tools: what they compute, under the names that they use."""
