"""Files: where the planning set lies, exact reads, atomic replaces, locks."""
