"""A project with semgrep rules, and a program `semgrep` that replays what the real one said of it.

`tests/cases/semgrep` holds what semgrep 1.185.0 printed for `FOUND`, for `DEBUGGER_LEFT`, for `CLEAN`, and for rules
that it could not read; timings are left out.
"""

import sys
from pathlib import Path

CASES = Path(__file__).parents[1] / "cases" / "semgrep"
RULES = (CASES / "rules.yml").read_text(encoding="utf-8")
DEBUGGER = "    breakpoint()\n"
SHELL = """\
    return subprocess.run(
        "ls " + name,
        shell=True,
    )
"""
LIST = '    return subprocess.run(["ls", name])\n'
_HEAD = "import subprocess\n\n\ndef listing(name):\n"
FOUND = f"{_HEAD}{DEBUGGER}{SHELL}"
DEBUGGER_LEFT = f"{_HEAD}{DEBUGGER}{LIST}"
CLEAN = f"{_HEAD}{LIST}"

_PROGRAM = """\
#!{python}
import os, pathlib, sys

replies = {replies!r}
rules = [sys.argv[place + 1] for place, word in enumerate(sys.argv) if word == "--config"]
paths = sys.argv[sys.argv.index("--") + 1 :]
wrong = [
    *(word for word in ("scan", "--json", "--disable-version-check") if word not in sys.argv),
    *(rule for rule in rules if not pathlib.Path(rule).exists()),
    *(path for path in paths if not pathlib.Path(path).exists()),
    *([] if sys.argv[sys.argv.index("--metrics") + 1] == "off" else ["--metrics"]),
    *([] if os.environ.get("SEMGREP_SEND_METRICS") == "off" else ["SEMGREP_SEND_METRICS"]),
    *([] if not os.environ.get("PYTHONPATH") else ["PYTHONPATH"]),
]
if wrong or not rules:
    sys.exit(f"called in another way than semgrep was when it was recorded: {{wrong}}")
pathlib.Path.home().joinpath(".semgrep").mkdir()  # the real one keeps its settings there
text = pathlib.Path("app.py").read_text()
broken = any("breakpoint(..." in pathlib.Path(rule).read_text() for rule in rules if rule.endswith(".yml"))
name = "found" if "shell=True" in text else "debugger_left" if "breakpoint" in text else "clean"
print(replies["broken_rule" if broken else name])
sys.exit(2 if broken else 0)
"""


def recorded_semgrep(folder: Path) -> Path:
    """Write a program `semgrep` into a new folder, and return the folder, for PATH."""
    folder.mkdir()
    replies = {path.stem: path.read_text(encoding="utf-8") for path in sorted(CASES.glob("*.json"))}
    program = folder / "semgrep"
    program.write_text(_PROGRAM.format(python=sys.executable, replies=replies), encoding="utf-8")
    program.chmod(0o755)
    return folder
