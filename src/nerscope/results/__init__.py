"""What an evaluation found, and the questions that results alone can answer."""
