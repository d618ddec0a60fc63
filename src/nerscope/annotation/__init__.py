"""Annotations by people: how well annotators agree."""
