"""Questions to data alone: what it is like, whether it is valid, how it looks in another scheme."""
