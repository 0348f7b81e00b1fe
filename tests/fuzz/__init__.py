"""Any bytes into every reader and edit: the same targets for saved inputs, for hypothesis and for a guided fuzzer."""
