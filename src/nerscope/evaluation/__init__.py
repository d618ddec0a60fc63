"""Evaluate systems: from files and settings to results. `evaluate.py` shows all steps."""
