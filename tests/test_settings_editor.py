"""What an editor sends as settings: one slip is named and costs nothing else."""

import pytest

from ensemble_lsp.core.errors import ConfigurationError
from ensemble_lsp.settings_editor import checked, merged, nested, unrestricted
from ensemble_lsp.settings_sources import load_settings


def test_spellings_and_unset_values_of_editors() -> None:
    taken = checked({"budget": {"dayUsd": 2, "usd": None}, "context.exclude": ["*.snap"], "check": ""}, {})
    assert taken.values == {"budget.day_usd": 2, "context.exclude": ["*.snap"]}
    assert taken.problems == ()


def test_wrong_value_keeps_the_good_one_before_and_all_others() -> None:
    taken = checked({"budget": {"usd": "much"}, "rounds": 3}, {"budget.usd": 0.2, "rounds": 1})
    assert taken.values == {"budget.usd": 0.2, "rounds": 3}
    (problem,) = taken.problems
    assert "budget.usd" in problem
    assert "what was set before stays" in problem


def test_wrong_table_keeps_every_key_of_the_good_one() -> None:
    before = {"budget.usd": 0.2, "budget.day_usd": 1.0}
    assert checked({"budget": "small"}, before).values == before


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({"budget": {"usd": "much"}}, "budget.usd"),
        ({"local": "perhaps"}, "local"),
        ({"context": {"exclude": 7}}, "context.exclude"),
        ({"panel": [{"model": "openai/x", "apiKey": "sk-1234567890"}]}, r"panel\[0\]"),
    ],
)
def test_wrong_value_without_a_good_one_refuses_jobs(said: dict[str, object], key: str) -> None:
    """Without the cap or the exclusion that somebody meant to set, a job would do what they did not want."""
    taken = checked(said, {})
    (problem,) = taken.problems
    assert "no job starts until it is right" in problem
    assert "sk-1234567890" not in problem
    with pytest.raises(ConfigurationError, match=key):
        load_settings(None, editor=nested(taken.values), environment={})


def test_nesting_without_end_is_a_wrong_value() -> None:
    deep: object = "bottom"
    for _ in range(900):
        deep = {"panel": [deep]}
    taken = checked({"panel": [deep], "rounds": 2}, {"rounds": 1, "panel": ["openai/x"]})
    assert taken.values == {"panel": ["openai/x"], "rounds": 2}
    assert len(taken.problems) == 1


def test_keys_of_other_parts_of_the_editor_are_left_alone() -> None:
    taken = checked(
        {"trace": {"server": "verbose"}, "serverPath": "/usr/bin/x", "budget": {"shown": True}}, {}
    )
    assert taken.problems == ()


def test_later_values_win_and_exclusions_add_up() -> None:
    both = merged(
        {"mode": "quick", "context.exclude": ["a", "b"]}, {"mode": "panel", "context.exclude": ["b", "c"]}
    )
    assert both == {"mode": "panel", "context.exclude": ["a", "b", "c"]}


def test_only_exclusions_count_without_trust() -> None:
    said = {
        "panel": ["openai/x"],
        "budget.usd": 9,
        "context.exclude": ["a"],
        "context.include": [".env"],
        "local": False,
    }
    kept, dropped = unrestricted(said)
    assert kept == {"context.exclude": ["a"]}
    assert set(dropped) == set(said) - {"context.exclude"}


def test_to_keep_to_this_machine_needs_no_trust() -> None:
    kept, dropped = unrestricted({"local": True, "budget.usd": 9})
    assert kept == {"local": True}
    assert dropped == ("budget.usd",)
