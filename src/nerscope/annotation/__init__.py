"""People's annotations: how well they agree, where they are wrong, and how they are corrected."""
