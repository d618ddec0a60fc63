"""Ways to divide mentions and tokens: a facet gives every unit a code, and levels are sets of
codes.
"""
