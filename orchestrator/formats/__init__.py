"""File kinds: a document becomes nouns, and small named edits change the document."""
