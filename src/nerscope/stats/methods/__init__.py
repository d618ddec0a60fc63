"""The built-in statistical tests, one file each; `stats.paired` finds them here."""
