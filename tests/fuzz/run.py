"""The guided fuzzer: `python -m tests.fuzz.run --seconds 300 document state`; without names every target in turn.

Needs the extra `fuzz`. An input that breaks a property lies afterwards in the working folder as `crash-…`; what it
shows is mended, and it is kept below tests/data/fuzz/TARGET, from where every run of the tests takes it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.inputs import found, seeds


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(";")[0])
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--keep", type=Path, help="a folder in which inputs that reach new code are kept")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        _fuzz(chosen.one, chosen.targets)
    from tests.fuzz.targets import TARGETS

    failed = [name for name in chosen.targets or TARGETS if not _run(name, chosen.seconds, chosen.keep)]
    print(f"broken: {', '.join(failed)}" if failed else "nothing broke")  # noqa: T201
    return 1 if failed else 0


def _run(name: str, seconds: int, keep: Path | None) -> bool:
    """Whether the target stood; in a process of its own, since the fuzzer never comes back."""
    with tempfile.TemporaryDirectory(prefix="orch-fuzz-") as folder:
        corpus = (keep or Path(folder)) / name
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate([*seeds(name), *(path.read_bytes() for path in found(name))]):
            (corpus / f"seed-{number}").write_bytes(seed)
        words = [f"-max_total_time={seconds}", "-timeout=30", "-rss_limit_mb=2048", "-max_len=20000", str(corpus)]
        print(f"== {name}", flush=True)  # noqa: T201
        return subprocess.run([sys.executable, "-m", "tests.fuzz.run", "--one", name, "--", *words]).returncode == 0


def _fuzz(name: str, words: list[str]) -> None:
    import atheris

    with atheris.instrument_imports(include=["orchestrator"]):
        from tests.fuzz.targets import TARGETS
    atheris.Setup([sys.argv[0], *words], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
