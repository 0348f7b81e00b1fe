"""Lossless documents: text in, text out. Knows no product noun and no file system."""
