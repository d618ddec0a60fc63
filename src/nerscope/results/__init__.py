"""The results of an evaluation, and analyses that need nothing but results."""
