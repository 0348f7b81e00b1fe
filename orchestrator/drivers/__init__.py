"""Agent CLIs: each driver builds an invocation and reads a result, both pure."""
