"""Text with character offsets: tokenisation, brat and WebAnno."""
