"""Tests of the Markdown room; oracle and texts are their tools."""
