"""Words the user types: the one home of click."""
