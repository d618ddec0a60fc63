"""What was read: a corpus as columns of codes, its vocabulary, tagging schemes and mentions."""
