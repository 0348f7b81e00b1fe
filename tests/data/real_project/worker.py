"""A worker without a model: it plans a step a file, then runs the shell lines in its task's fence, and its test."""

import os
import pathlib
import re
import subprocess
import sys

prompt = sys.stdin.read()
key, todo = os.environ["ORCH_TASK"], pathlib.Path(os.environ["ORCH_TODO"])


def found(pattern: str) -> str:
    match = re.search(pattern, prompt, re.MULTILINE | re.DOTALL)
    if match is None:
        sys.exit(f"the prompt has nothing like {pattern}")
    return match[1]


title = found(rf"^# Task {re.escape(key)}: ([^\n]+)$")
test = found(r"^- \*\*Test:\*\* `([^`]+)`$")
script = found(r"^```sh\n(.+?)^```$")

if os.environ["ORCH_TURN"] == "plan":
    scope = re.findall(r"^- \*\*(?:Must edit|Can create):\*\* (.+)$", prompt, re.MULTILINE)
    steps = [*(f"Change {path}" for path in re.findall("`[^`]+`", " ".join(scope))), f"Run `{test}`"]
    boxes = "".join(f"- [ ] {number}. {step}\n" for number, step in enumerate(steps, start=1))
    todo.write_text(f"# {key} — {title}\n\n## Goal\n\n{title}.\n\n## TODO items\n\n{boxes}", encoding="utf-8")
    sys.exit()

subprocess.run(["sh", "-euc", script], check=True, env={**os.environ, "TOOLS": sys.argv[1]})
subprocess.run(["sh", "-c", test], check=True)

git = ["git", "status", "--porcelain", "-uall", "--", ".", ":!planning"]
changed = subprocess.run(git, check=True, capture_output=True, text=True).stdout
report = (
    "- **Status:** done\n"
    f"- **Files:** {', '.join(f'`{line[3:]}`' for line in changed.splitlines())}\n"
    f"- **Tests:** `{test}`\n"
    "- **Deviations:** none\n"
    "- **Gotchas:** none\n"
)
plan = todo.read_text(encoding="utf-8").replace("- [ ]", "- [x]").split("## Report")[0].rstrip()
todo.write_text(f"{plan}\n\n## Report\n\n{report}", encoding="utf-8")
