"""Install the pinned agent programs that tests of real workers run: `python -m tests.support.install_agents [NAME…]`.

Each goes into a folder of its own outside the checkout ($ORCH_AGENTS, else ~/.cache/orch/agents) and is kept there.
What can't be had is said and left out: the tests that need it are skipped.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.agents import IN_CI, PINNED, prefix, program_in

SECONDS = 240


def install(name: str) -> str:
    """Install one program if it isn't there; returns what came of it, in a line."""
    package, version = PINNED[name]
    there = prefix(name)
    if program_in(there, name).exists():
        return f"{name} {version}: there already"
    npm = shutil.which("npm")
    if npm is None:
        return f"{name} {version}: not installed, there is no npm"
    there.parent.mkdir(parents=True, exist_ok=True)
    # Beside its place, and moved there whole: an installation that was cut off is none.
    with tempfile.TemporaryDirectory(dir=there.parent) as folder:
        words = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder]
        try:
            done = subprocess.run(
                [*words, f"{package}@{version}"], capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"{name} {version}: not installed, the registry didn't answer within {SECONDS} s"
        if done.returncode or not program_in(Path(folder), name).exists():
            said = done.stderr.strip().splitlines() or ["npm gave no reason"]
            return f"{name} {version}: not installed: {said[0][:200]}"
        made = Path(folder)
        made.chmod(0o755)
        made.rename(there)
        made.mkdir()
    return f"{name} {version}: installed"


def main(names: list[str]) -> None:
    """Install those programs, or those of every run of CI."""
    for name in names or IN_CI:
        sys.stdout.write(f"{install(name)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
