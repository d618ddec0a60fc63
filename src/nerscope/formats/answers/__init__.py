"""Answers of language models: mentions as strings, located in the text of gold."""
