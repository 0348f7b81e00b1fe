"""Runs large software plans as waves of cheap coding agents, with all state in Markdown files."""
