"""How corpora are written: one module a format, and the one place that turns whatever a user gives
into chunks.
"""
