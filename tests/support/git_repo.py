"""Real repositories for tests, small and quick to make."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class GitRepo:
    """A repository at `path`. Every method runs the real git there."""

    path: Path

    @classmethod
    def create(cls, path: Path, files: Mapping[str, str] | None = None, *, branch: str = "main") -> GitRepo:
        """A new repository with one commit of `files` (a README where none are given)."""
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "-q", "-b", branch)
        repo.commit("first commit", {"README.md": "# Project\n"} if files is None else files)
        return repo

    @classmethod
    def empty(cls, path: Path, *, branch: str = "main") -> GitRepo:
        """A new repository without a commit: its branch is unborn."""
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "-q", "-b", branch)
        return repo

    @classmethod
    def bare(cls, path: Path) -> GitRepo:
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "-q", "--bare")
        return repo

    def git(self, *args: str, check: bool = True, text: str | None = None) -> str:
        """What `git ARGS` prints, without the last newline. A failure raises with git's own words."""
        done = subprocess.run(
            ["git", *args], cwd=self.path, input=text, capture_output=True, text=True, encoding="utf-8"
        )
        if check and done.returncode != 0:
            raise AssertionError(f"git {' '.join(args)} failed with {done.returncode}: {done.stderr}")
        return done.stdout.removesuffix("\n")

    def write(self, name: str, text: str, *, executable: bool = False) -> Path:
        """A file of the checkout, with exactly this text."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        if executable:
            path.chmod(0o755)
        return path

    def read(self, name: str) -> str:
        return (self.path / name).read_bytes().decode()

    def commit(self, message: str, files: Mapping[str, str] | None = None) -> str:
        """Commit everything that is changed, after writing `files`; the new commit's hash."""
        for name, text in (files or {}).items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)
        return self.head()

    def head(self, rev: str = "HEAD") -> str:
        return self.git("rev-parse", "--verify", f"{rev}^{{commit}}")

    def tree(self, rev: str = "HEAD") -> str:
        return self.git("rev-parse", "--verify", f"{rev}^{{tree}}")

    def branch(self, name: str, at: str = "HEAD") -> None:
        self.git("branch", "-q", "--no-track", name, at)

    def switch(self, name: str, *, create: bool = False) -> None:
        self.git("switch", "-q", *(["-c"] if create else []), name)

    def hook(self, name: str, script: str) -> Path:
        """Install a hook; `script` is what stands below `#!/bin/sh`."""
        return self.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n", executable=True)

    def worktree(self, path: Path, *, branch: str | None = None, at: str = "HEAD") -> GitRepo:
        """A linked checkout at `path`: of a new branch, or detached."""
        how = ["-b", branch] if branch else ["--detach"]
        self.git("worktree", "add", "-q", *how, str(path), at)
        return GitRepo(path)

    def status(self) -> list[str]:
        """The lines of `git status --porcelain`, ignored files left out."""
        return [line for line in self.git("status", "--porcelain", "-uall").split("\n") if line]

    def log(self, rev: str = "HEAD") -> list[str]:
        """The first lines of the messages, newest first."""
        return self.git("log", "--format=%s", rev, "--").split("\n")

    def files(self, rev: str = "HEAD") -> list[str]:
        """The paths of a commit's tree."""
        return [name for name in self.git("ls-tree", "-r", "-z", "--name-only", rev).split("\0") if name]
