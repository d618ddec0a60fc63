"""Statistics: resampling, tests, intervals, and summaries over many numbers."""
