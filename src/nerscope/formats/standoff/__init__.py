"""Text with character offsets: tokens and sentences of text, brat, WebAnno."""
