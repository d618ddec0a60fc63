"""How sure we are: resampling, tests, and summaries over many numbers."""
