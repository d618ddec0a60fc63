"""Networks that recipes train; its modules need torch, and are imported by those who have it."""
