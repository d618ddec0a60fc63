"""The built-in statistical tests, one per file; `stats.paired` imports them from here."""
