"""Text with tags among its words: inline tags and slash tags."""
