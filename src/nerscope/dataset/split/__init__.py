"""Ways to divide data into train, dev and test."""
