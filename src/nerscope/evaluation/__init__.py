"""From what a user chose to results: settings, plan, the score of a chunk, the whole flow."""
