"""From what a user chose to rows of numbers: settings, plan, the score of a chunk, the whole flow."""
