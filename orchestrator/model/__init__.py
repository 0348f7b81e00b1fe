"""Nouns and rules: frozen dataclasses and pure functions, no input or output."""
