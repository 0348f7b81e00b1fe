"""`python -m orchestrator`: the same as the `orch` command."""

from orchestrator.cli.main import main

if __name__ == "__main__":
    main()
