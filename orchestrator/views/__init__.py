"""Text and JSON for readers: pure functions from nouns to strings and plain data."""
