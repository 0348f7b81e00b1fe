"""Verbs: carry out what the model decided. No click, no printing."""
