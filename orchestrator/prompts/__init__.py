"""Jinja: the texts that workers get."""
