"""Find annotations that are probably wrong, with a proposal, a score and reasons for each."""
