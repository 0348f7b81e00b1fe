"""Lossless documents: text in, text out. Knows no product noun and no file system.

source (text, lines, places), edits (spans replaced), grammar and scanner (which block a line is in), blocks (the
nouns) and views (nodes to nouns), document (all of it as one value), front_matter with values, plain_yaml and
full_yaml; front_matter_edits, table_edits, section_edits, item_edits (small changes, each read back); plain (inline
marks taken off) and quote (text of others set in).
"""
