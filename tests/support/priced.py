"""A program that speaks as `claude -p` does: it plans, works and reviews as asked, and says what it used."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

PRICE = 0.25
TOKENS = (1000, 20)

PROGRAM = f"""#!{sys.executable}
import json, os, signal, sys, time
from pathlib import Path

sys.stdin.read()
here, turn, key = Path(__file__).parent, os.environ["ORCH_TURN"], os.environ["ORCH_TASK"]
plans = json.loads((here / "turns.json").read_text().replace("{{KEY}}", os.environ.get("ANTHROPIC_API_KEY", "")))
told = plans.get(key, {{}}).get(turn, {{}})
if isinstance(told, list):
    # One after another, the last again and again.
    done = (here / "calls").read_text().splitlines() if (here / "calls").exists() else []
    told = told[min(sum(json.loads(one)[:2] == [key, turn] for one in done), len(told) - 1)]
if told.get("stubborn"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for name, content in told.get("early", {{}}).items():
    Path(name).write_text(content)
with (here / "calls").open("a") as file:
    file.write(json.dumps([key, turn, *sys.argv[1:]]) + "\\n")
session = sys.argv[sys.argv.index("--session-id" if "--session-id" in sys.argv else "--resume") + 1] \\
    if {{"--session-id", "--resume"}} & set(sys.argv) else ""

def tell(**event):
    print(json.dumps(event), flush=True)

tell(type="system", subtype="init", session_id=session, model="model-1")
for event in told.get("events", ()):
    tell(**event)
sys.stderr.write(told.get("err", ""))
sys.stdout.write(told.get("half", ""))
sys.stdout.flush()
time.sleep(told.get("delay", 0))
if told.get("half"):
    print()
if told.get("killed"):
    os.kill(os.getpid(), signal.SIGKILL)
text = told.get("text", "done")
todo = Path(os.environ["ORCH_TODO"])
if turn == "plan":
    todo.write_text(told.get("plan", ""))
elif turn != "review":
    for name, content in told.get("files", {{}}).items():
        Path(name).write_text(content)
    todo.write_text(todo.read_text().replace("- [ ]", "- [x]") + "\\n## Report\\n" + told.get("report", ""))
tell(
    type="result", subtype=told.get("subtype", "success"), is_error="subtype" in told, result=text,
    session_id=session, total_cost_usd=told.get("usd", {PRICE}),
    usage={{"input_tokens": {TOKENS[0]}, "output_tokens": {TOKENS[1]}}},
    modelUsage={{"model-1": {{"inputTokens": {TOKENS[0]}, "outputTokens": {TOKENS[1]}}}}},
)
sys.exit(1 if "subtype" in told else 0)
"""


def priced(folder: Path, turns: Mapping[str, Mapping[str, object]]) -> str:
    """The worker's settings for a program in `folder` that does that, by task key and turn: a mapping, or a list of
    them that it plays one after another."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "turns.json").write_text(json.dumps(turns), "utf-8")
    program = folder / "claude-alike"
    program.write_text(PROGRAM, "utf-8")
    program.chmod(0o755)
    return f"{{driver: claude, program: {program}, timeout: 60s}}"


def calls(folder: Path) -> list[list[str]]:
    """Every call so far: key, turn, then its arguments."""
    try:
        lines = (folder / "calls").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]
