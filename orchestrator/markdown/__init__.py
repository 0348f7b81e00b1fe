"""Lossless documents: text in, text out. Knows no product noun and no file system.

To read: source (text, lines, places), grammar and scanner (which block a line is in), blocks (the nouns) and views
(from nodes to nouns), structure_problems (what is hidden from every reader), front_matter with values, plain_yaml and
full_yaml, and document, which joins all of it into one value. To change: edits (spans replaced), and
front_matter_edits, table_edits, section_edits, item_edits, each of which reads back what it wrote. Beside them: plain
(inline marks taken off), quote (text of others set in), second_opinion (what other readers see).
"""
