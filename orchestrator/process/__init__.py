"""Processes: the one spawner, its shim, and the ending of process trees."""
