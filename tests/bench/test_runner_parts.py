"""What a run is made of: ways by name, records and answers that survive a kill, times, caps and estimates."""

import json
from pathlib import Path

import pytest

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.estimate import estimate_run
from ensemble_lsp.bench.inputs import digest_of, drawn, keep_cases, kept_cases
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.purses import PaidPurse, RunCaps, WayPurse
from ensemble_lsp.bench.record import HeadMember, Record, RunHead, RunInputs, read_record
from ensemble_lsp.bench.replies import KeptReplies
from ensemble_lsp.bench.sets import Seen
from ensemble_lsp.bench.stopwatch import Stopwatch
from ensemble_lsp.bench.symbols import lines_of_symbol
from ensemble_lsp.bench.ways.catalogue import DEFAULT, Kind, kinds_of, ways_of
from ensemble_lsp.cli.bench_options import BenchOptions
from ensemble_lsp.core.budget import Budget, Limits, Spend
from ensemble_lsp.core.errors import BudgetExceeded, UsageError
from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.ensemble.ports import ModelReply
from tests.bench.stage import write_set


def member(name: str, **fields: object) -> Member:
    return Member.model_validate({"id": name, "model": f"openai/{name}", "family": name, **fields})


PAIR = Panel(members=(member("one"), member("two")), anchor="one")
STRONG = PAIR.model_copy(update={"strong": member("strong")})
HEAD = RunHead(
    inputs=RunInputs(
        subject=Subject.FIX,
        set="toy.jsonl",
        digest="0" * 64,
        seed=1,
        cases=("a", "b"),
        members=(HeadMember(id="one", model="openai/one", family="one"),),
        k=3,
    ),
    ways=(),
    version="0",
    started="2026-01-01T00:00:00+00:00",
    command=("ensemble-lsp", "bench", "fix"),
)


# -- ways ---------------------------------------------------------------------------------------------------------


def test_the_usual_ways_leave_the_ablations_out():
    assert kinds_of("default") == DEFAULT
    assert not {Kind.PANEL_NO_CRITIQUE, Kind.DEBATE_NO_REVISION} & set(DEFAULT)
    assert set(kinds_of("all")) == set(Kind)


def test_samples_are_one_way_of_fixing_and_three_of_reviewing():
    fixing, _ = ways_of(kinds_of("samples"), Subject.FIX, PAIR)
    reviewing, _ = ways_of(kinds_of("samples"), Subject.REVIEW, PAIR)

    assert [way.name for way in fixing] == ["samples:one", "samples:two"]
    assert {way.kind for way in reviewing} == {Kind.UNION, Kind.PLURALITY, Kind.CHECKED}


def test_a_way_that_nobody_can_go_is_left_out_with_its_reason():
    alone = Panel(members=(member("one"),), anchor="one")
    ways, left_out = ways_of(kinds_of("voting,strong,panel"), Subject.FIX, alone)

    assert [way.name for way in ways] == ["panel"]
    assert {item.way: item.why for item in left_out} == {
        "voting": "a vote takes two members",
        "strong": "no strong member is configured",
    }
    assert [way.member for way in ways_of((Kind.STRONG,), Subject.FIX, STRONG)[0]] == ["strong"]


@pytest.mark.parametrize("text", ["", ",", "panel,nonsense"])
def test_an_unknown_way_is_refused(text: str):
    with pytest.raises(UsageError):
        kinds_of(text)


# -- record and answers -------------------------------------------------------------------------------------------


def test_a_line_that_a_kill_cut_off_is_dropped_and_written_anew(tmp_path: Path):
    Record.open(tmp_path, HEAD).add(Outcome(case="a", group="a", way="panel", solved=True))
    file = tmp_path / "record.jsonl"
    file.write_bytes(file.read_bytes() + b'{"outcome": {"case": "b", "gro')
    again = Record.open(tmp_path, HEAD)
    again.add(Outcome(case="b", group="b", way="panel"))

    assert [outcome.case for outcome in again.outcomes] == ["a", "b"]
    head, outcomes = read_record(tmp_path)
    assert head == HEAD
    assert outcomes == again.outcomes


def test_an_outcome_that_failed_is_made_again_and_replaced(tmp_path: Path):
    record = Record.open(tmp_path, HEAD)
    record.add(Outcome(case="a", group="a", way="panel", failed="no connection"))
    assert not record.has("a", "panel")
    record.add(Outcome(case="a", group="a", way="panel", solved=True))

    assert Record.open(tmp_path, HEAD).has("a", "panel")
    assert len(read_record(tmp_path)[1]) == 1


def test_a_record_that_goes_on_keeps_when_it_began_and_takes_further_ways(tmp_path: Path):
    Record.open(tmp_path, HEAD)
    ways, _ = ways_of((Kind.PANEL,), Subject.FIX, PAIR)
    Record.open(tmp_path, HEAD.model_copy(update={"ways": ways, "started": "2027-01-01T00:00:00+00:00"}))
    head, _ = read_record(tmp_path)

    assert head.started == HEAD.started
    assert [way.name for way in head.ways] == ["panel"]


def test_what_is_no_record_is_left_alone(tmp_path: Path):
    (tmp_path / "record.jsonl").write_text("something else\n", encoding="utf-8")

    with pytest.raises(UsageError, match="line 1"):
        Record.open(tmp_path, HEAD)
    assert (tmp_path / "record.jsonl").read_text(encoding="utf-8") == "something else\n"


def test_answers_are_kept_with_what_they_cost(tmp_path: Path):
    spend = Spend(calls=1, tokens_in=100, tokens_out=10, usd=0.25)
    reply = ModelReply(text="odd \ud800 text", finish="length", spend=spend, seconds=2.0)
    KeptReplies.open(tmp_path).put("key", reply)
    file = tmp_path / "replies.jsonl"
    file.write_bytes(file.read_bytes() + b'{"key": "other", "rep')
    again = KeptReplies.open(tmp_path)

    assert again.get("key") == reply
    assert again.get("other") is None
    assert again.paid == spend


# -- cases --------------------------------------------------------------------------------------------------------


def test_the_seed_fixes_which_cases_are_drawn(tmp_path: Path):
    file = write_set(tmp_path)

    def ids(subject: Subject, count: int | None, seed: int) -> list[str]:
        return [case.id for case in drawn(file, subject, Seen.TESTS, count, seed)]

    assert ids(Subject.FIX, 2, 5) == ids(Subject.FIX, None, 5)[:2]
    assert ids(Subject.REVIEW, 1, 5) == [ids(Subject.FIX, 1, 5)[0], f"{ids(Subject.FIX, 1, 5)[0]}/fixed"]
    assert len({tuple(ids(Subject.FIX, None, seed)) for seed in range(8)}) > 1


def _of_a_project(project: Path) -> BenchCase:
    text = (project / "cart.py").read_text(encoding="utf-8")
    changed = text.replace("+", "-")
    return BenchCase(
        id="cart", group="cart", source="mutants", base=str(project), files={"cart.py": changed},
        path="cart.py", original=text,
    )  # fmt: skip


def test_cases_of_a_project_that_has_changed_since_are_refused(tmp_path: Path):
    (tmp_path / "cart.py").write_text("def total(a, b):\n    return a + b\n", encoding="utf-8")
    case = _of_a_project(tmp_path)
    keep_cases(tmp_path / "out", [case])

    assert kept_cases(tmp_path / "out") == (case,)
    (tmp_path / "cart.py").write_text("def total(a, b):\n    return a + b + 0\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"cart\.py has changed"):
        kept_cases(tmp_path / "out")


def test_the_digest_of_cases_does_not_depend_on_where_the_project_lies(tmp_path: Path):
    (tmp_path / "cart.py").write_text("def total(a, b):\n    return a + b\n", encoding="utf-8")
    case = _of_a_project(tmp_path)

    assert digest_of([case]) == digest_of([case.model_copy(update={"base": "/elsewhere"})])
    assert digest_of([case]) != digest_of([case.model_copy(update={"original": ""})])


@pytest.mark.parametrize(
    ("symbol", "lines"),
    [("first", (0, 2)), ("Cart.total", (6, 8)), ("Cart", (5, 8)), ("Cart.missing", None), ("", None)],
)
def test_the_lines_of_a_symbol_hold_its_decorators(symbol: str, lines: tuple[int, int] | None):
    text = "@cached\ndef first(): ...\n\n\n\nclass Cart:\n    @property\n    def total(self): ...\n"
    found = lines_of_symbol(text, symbol)

    assert found == (None if lines is None else LineRange(start=lines[0], end=lines[1]))


# -- time and money -----------------------------------------------------------------------------------------------


def test_kept_answers_that_were_asked_for_side_by_side_count_as_long_as_the_longest():
    now = 0.0
    watch = Stopwatch(clock=lambda: now)
    now = 1.0
    watch.note(0.5, 4.0)  # two at once, kept: read in half a second
    watch.note(0.5, 10.0)
    now = 3.0
    watch.note(2.0, 1.0)  # one that was really asked, and took that second
    now = 4.0

    assert watch.seconds() == pytest.approx(4.0 + (10.0 - 0.5))


async def test_a_call_that_the_run_cannot_pay_for_is_charged_to_nobody():
    one = member("one", price_in=1.0, price_out=1.0)
    way = Budget(Limits(usd=1.0))
    run = WayPurse(Budget(Limits(usd=0.1)))
    caps = RunCaps(run, Limits(usd=0.1))

    with pytest.raises(BudgetExceeded):
        await PaidPurse(WayPurse(way), caps).reserve(one, 0.2)
    assert caps.reached is not None
    assert "the run's cap of $0.1000" in caps.reached.message
    assert way.spent == Spend()
    assert way.held_usd == run.budget.held_usd == 0.0


def test_an_estimate_counts_each_first_answer_once(tmp_path: Path):
    cases = drawn(write_set(tmp_path), Subject.FIX, Seen.TESTS, None, 1)
    panel = Panel(
        members=(member("one", price_in=1.0, price_out=2.0), member("two", price_in=1.0, price_out=2.0)),
        anchor="one",
    )

    def estimated(words: str) -> tuple[int, int]:
        ways, _ = ways_of(kinds_of(words), Subject.FIX, panel)
        todo = {way.name: cases for way in ways}
        found = estimate_run(Subject.FIX, todo, ways, panel, k=5, rounds=1, prompt_tokens=12_000)
        assert 0 < found.usd < found.usd_bound
        return found.calls, found.calls_bound

    single, voting, both = estimated("single"), estimated("voting"), estimated("single,voting")
    assert single == (6, 6)
    assert voting[0] == 15  # 2 answers, 2 votes, 1 rewriting, on 3 cases
    assert both == (voting[0], single[1] + voting[1])


def test_the_command_to_type_again_holds_what_was_chosen_and_no_consent():
    chosen = BenchOptions(cases=3, k=2, only=["src", "lib"], yes=True, as_json=True, budget=1.5)

    assert chosen.command("fix", None) == (
        *("ensemble-lsp", "bench", "fix", "--only", "src", "--only", "lib"),
        *("--cases", "3", "-k", "2", "--budget", "1.5"),
    )
    assert json.dumps(BenchOptions().command("review", Path("a.jsonl"))) == json.dumps(
        ["ensemble-lsp", "bench", "review", "a.jsonl"]
    )
