"""Git: the one home of GitPython."""
