"""Scoring: pair predictions with gold mentions, count the pairs, and compute metrics."""
