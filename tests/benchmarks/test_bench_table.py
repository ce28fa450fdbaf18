"""The table of all benchmarks: ratios, what was left out and why, what failed."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import NAMES, figures_of, flat, lines_of, state_of, table
from benchmarks.foreign import Foreign, LeftOut, left_out_with_its_reason
from benchmarks.ratios import RATIOS


def test_nested_figures_get_dotted_names() -> None:
    assert flat({"a": {"b": 1.5}, "c": [2, 3]}) == {"a.b": 1.5, "c.0": 2, "c.1": 3}


def test_a_ratio_stands_beside_what_it_is_compared_with() -> None:
    figures = flat({"initialize": {"bare": 0.4, "front": 0.1}})
    line = lines_of({"front_start": figures})[0]
    assert (line.ours, line.beside, line.ratio) == ("0.1 s", "0.4 s (bare pygls)", "0.25")


def test_a_figure_that_is_missing_is_no_ratio() -> None:
    line = lines_of({"front_start": {"initialize.bare": 0.4}})[0]
    assert (line.ours, line.ratio) == ("?", "")


def test_what_is_left_out_says_why_and_has_no_figures() -> None:
    lines = lines_of({"aider": {"left out": "aider could not be had: no route to host"}})
    assert [(line.what, line.ours, line.ratio) for line in lines] == [
        ("left out: aider could not be had: no route to host", "", "")
    ]
    assert state_of({"left out": "x"}) == "left out"


def test_what_failed_is_told_from_what_was_left_out() -> None:
    assert lines_of({"shadow": {"failed": "KeyError"}})[0].what == "failed: KeyError"
    assert state_of({"failed": 1}) == "failed"


def test_a_long_reason_does_not_widen_the_columns() -> None:
    reason = "x" * 300
    figures = flat({"initialize": {"bare": 0.4, "front": 0.1}})
    rows = table(lines_of({"front_start": figures, "aider": {"left out": reason}})).splitlines()
    assert len(rows[0]) < 140
    assert rows[-1].endswith(reason)


def test_every_benchmark_has_its_place_in_the_table() -> None:
    assert set(RATIOS) == set(NAMES)


def test_a_benchmark_that_does_not_exist_fails() -> None:
    assert "No module" in str(figures_of("no_such_benchmark")["failed"])


# -- what is installed from others


def foreign(tmp_path: Path, pins: str) -> Foreign:
    requirements = tmp_path / "pins.txt"
    requirements.write_text(pins)
    return Foreign("tool", requirements, cache=tmp_path / "cache")


def test_what_cannot_be_installed_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_NO_CACHE", "1")
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    tool = foreign(tmp_path, f"no-such-tool==1.0 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(LeftOut, match=r"(?s)tool could not be had: installing it failed: .*no-such-tool"):
        tool.installed()
    assert not tool.folder.exists()


def test_what_is_installed_is_not_installed_again(tmp_path: Path) -> None:
    tool = foreign(tmp_path, "tool==1.0\n")
    tool.folder.mkdir(parents=True)
    stamp = hashlib.sha256(b"tool==1.0\n").hexdigest()
    (tool.folder / "pins").write_text(stamp)
    (tool.folder / "kept").touch()
    assert tool.installed() is tool
    assert (tool.folder / "kept").exists()


def test_other_pins_mean_another_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    tool = foreign(tmp_path, "")
    tool.folder.mkdir(parents=True)
    (tool.folder / "pins").write_text("older")
    (tool.folder / "old").touch()
    assert tool.installed().python.exists()
    assert not (tool.folder / "old").exists()


def test_only_what_could_not_be_had_counts_as_left_out() -> None:
    with left_out_with_its_reason() as said:
        raise LeftOut("no registry")
    assert said == {"left out": "no registry"}
    with pytest.raises(ZeroDivisionError), left_out_with_its_reason():
        raise ZeroDivisionError


def test_a_benchmark_that_is_left_out_says_so_and_ends_well(tmp_path: Path) -> None:
    script = (
        "import sys, benchmarks.foreign as f; from pathlib import Path\n"
        "def refuse(self): raise f.LeftOut('aider could not be had: no registry')\n"
        "f.Foreign.installed = refuse\n"
        "sys.argv = ['aider', '--json', '--each', '1']\n"
        "from benchmarks.aider import main; main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        timeout=60,
    )
    assert (done.returncode, json.loads(done.stdout)) == (
        0,
        {"left out": "aider could not be had: no registry"},
    )
