"""Settings from every source: who wins, who may say what, and what a mistake is called."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from ensemble_lsp.core.budget import Limits
from ensemble_lsp.core.errors import ConfigurationError
from ensemble_lsp.settings import Settings
from ensemble_lsp.settings_sources import LoadedSettings, drop_restricted, load_settings


@pytest.fixture
def user(own_directories: Path) -> Path:
    """The user's settings file, not written yet."""
    (own_directories / "config").mkdir()
    return own_directories / "config" / "config.toml"


@pytest.fixture(autouse=True)
def policy(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The policy file, not written yet."""
    path = tmp_path_factory.mktemp("system") / "policy.toml"
    monkeypatch.setenv("ENSEMBLE_POLICY_FILE", str(path))
    return path


def load(
    workspace: Path | None = None,
    *,
    editor: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
    trusted: bool = True,
) -> LoadedSettings:
    return load_settings(
        workspace, editor=editor, environment=environment or {}, overrides=overrides, trusted=trusted
    )


def error_of(workspace: Path, text: str, *, trusted: bool = True) -> ConfigurationError:
    (workspace / "ensemble.toml").write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        load(workspace, trusted=trusted)
    return caught.value


def test_without_any_source_everything_is_at_its_default(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    assert loaded.settings == Settings()
    assert (loaded.notices, dict(loaded.sources)) == ((), {})


def test_later_sources_win_key_by_key(user: Path, tmp_path: Path) -> None:
    user.write_text("[budget]\nusd = 1\nseconds = 1\ncalls = 1\nday_usd = 1\n[timeouts]\ncall = 1\n")
    (tmp_path / "ensemble.toml").write_text("[budget]\ncalls = 3\nday_usd = 3\n[timeouts]\ncall = 3\n")
    loaded = load(
        tmp_path,
        editor={"budget": {"seconds": 2, "calls": 2, "day_usd": 2}, "timeouts": {"call": 2}},
        environment={"ENSEMBLE_BUDGET_DAY_USD": "4", "ENSEMBLE_TIMEOUTS_CALL": "4"},
        overrides={"timeouts.call": 5},
    )
    budget = loaded.settings.budget
    assert (budget.usd, budget.seconds, budget.calls, budget.day_usd) == (1, 2, 3, 4)
    assert loaded.settings.timeouts.call == 5
    assert dict(loaded.sources) == {
        "budget.usd": str(user),
        "budget.seconds": "editor settings",
        "budget.calls": "ensemble.toml",
        "budget.day_usd": "ENSEMBLE_BUDGET_DAY_USD",
        "timeouts.call": "command line",
    }


def test_a_list_of_members_is_replaced_as_a_whole(user: Path) -> None:
    user.write_text('[[panel]]\nmodel = "a"\napi_base = "http://mine"\n[[panel]]\nmodel = "b"\n')
    loaded = load(environment={"ENSEMBLE_PANEL": "openai/x, anthropic/y ,"})
    assert [(member.model, member.api_base) for member in loaded.settings.panel] == [
        ("openai/x", None),
        ("anthropic/y", None),
    ]


def test_the_key_of_one_member_never_meets_the_server_of_another(user: Path, tmp_path: Path) -> None:
    user.write_text('[strong]\nmodel = "openai/x"\napi_key_env = "OPENAI_API_KEY"\n')
    (tmp_path / "ensemble.toml").write_text('[strong]\nmodel = "x"\napi_base = "http://elsewhere"\n')
    strong = load(tmp_path).settings.strong
    assert strong is not None
    assert (strong.api_base, strong.api_key_env) == ("http://elsewhere", None)


def test_a_member_may_be_a_string(tmp_path: Path) -> None:
    (tmp_path / "ensemble.toml").write_text('strong = "openai/x"\npanel = ["a", {model = "b"}]\n')
    settings = load(tmp_path).settings
    assert settings.strong is not None
    assert [settings.strong.model, *(member.model for member in settings.panel)] == ["openai/x", "a", "b"]


def test_pyproject_is_read_where_there_is_no_file_of_our_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ensemble]\nrounds = 3\n")
    assert load(tmp_path).settings.rounds == 3
    (tmp_path / "ensemble.toml").write_text("rounds = 2\n")
    loaded = load(tmp_path)
    assert loaded.settings.rounds == 2
    assert "pyproject.toml is ignored" in loaded.notices[0]


def test_a_pyproject_that_is_being_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = \n")
    loaded = load(tmp_path)
    assert loaded.settings == Settings()
    assert "pyproject.toml, line 2" in loaded.notices[0]


def test_a_broken_pyproject_with_our_table_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ensemble]\nrounds = \n")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml, line 2"):
        load(tmp_path)


def test_a_line_of_a_pyproject_is_the_files(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n\n[tool.ensemble.budget]\nusd = "a"\n')
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml, line 5: budget\.usd: "):
        load(tmp_path)


def test_an_untrusted_workspace_cannot_say_what_is_restricted(tmp_path: Path) -> None:
    (tmp_path / "ensemble.toml").write_text(
        'panel = ["evil/x"]\ncheck = "x"\n[budget]\nusd = 100\n[context]\ninclude = [".env"]\nexclude = ["d"]\n'
    )
    loaded = load(tmp_path, trusted=False)
    assert loaded.settings == Settings.model_validate({"context": {"exclude": ["d"]}})
    (notice,) = loaded.notices
    assert "panel, check, budget.usd, context.include ignored" in notice


def test_a_mistake_under_a_key_that_does_not_count_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "ensemble.toml").write_text('budget = 3\n[execution]\npythn = "x"\n')
    assert load(tmp_path, trusted=False).settings == Settings()


def test_every_key_a_stranger_may_set_is_named_here() -> None:
    every: dict[str, object] = {}
    for name, found in Settings.model_fields.items():
        inner: Mapping[str, object] | None = getattr(found.annotation, "model_fields", None)
        every[name] = 0 if inner is None else dict.fromkeys(inner, 0)
    kept, _ = drop_restricted(every)
    assert kept == {"context": {"exclude": 0}}


def test_what_one_source_excludes_no_other_brings_back(user: Path, tmp_path: Path) -> None:
    user.write_text('[context]\nexclude = ["secret/**"]\n')
    (tmp_path / "ensemble.toml").write_text("[context]\nexclude = []\n")
    loaded = load(tmp_path, environment={"ENSEMBLE_CONTEXT_EXCLUDE": "*.pem,secret/**"})
    assert loaded.settings.context.exclude == ("secret/**", "*.pem")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('mode = "panel"\n\n[budget]\nusd = "much"\n', "line 4: budget.usd: Input should be a valid number"),
        ("budget.usd = -1\n", "line 1: budget.usd: Input should be greater than or equal to 0"),
        ("[budget]\nusd = nan\n", "line 2: budget.usd: Input should be a finite number"),
        ("[budget]\nusdd = 1\n", 'line 2: budget.usdd: unknown key; did you mean "usd"?'),
        ("[bugdet]\nusd = 1\n", 'line 1: bugdet: unknown key; did you mean "budget"?'),
        ('\nmode = "loud"\n', "line 2: mode: Input should be 'quick', 'panel' or 'debate'"),
        ("[[panel]]\nid = 'a'\n", "line 1: panel[0].model: Field required"),
        (
            '[[panel]]\nmodel = "a"\n\n[[panel]]\nmodel = "b"\nprice_in = "free"\n',
            "line 6: panel[1].price_in: Input should be a valid number",
        ),
        (
            'panel = [\n  "a",\n\n  {model = "b", prize_in = 1},\n]',
            "line 4: panel[1].prize_in: unknown key",
        ),
        ("rounds = \n", "line 1: Invalid value (column 10)"),
        ('mode = "x\n', "line 1: Illegal character"),
        ("x = 1\nx = 2\n", "line 2: Cannot overwrite a value"),
    ],
)
def test_a_mistake_is_named_with_line_and_key(tmp_path: Path, text: str, message: str) -> None:
    error = error_of(tmp_path, text)
    assert error.message.startswith(f"ensemble.toml, {message}")
    assert error.source == str(tmp_path / "ensemble.toml")
    assert message.startswith(f"line {error.line}: {error.field}")
    assert error.exit_code == 3


def test_all_mistakes_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    error = error_of(tmp_path, '[budget]\nusd = "a"\ncalls = "b"\n')
    assert [line.split(":")[0] for line in error.message.splitlines()] == [
        "ensemble.toml, line 2",
        "ensemble.toml, line 3",
    ]


def test_a_key_written_into_settings_is_refused_and_not_repeated(tmp_path: Path) -> None:
    error = error_of(tmp_path, '[[panel]]\nmodel = "a"\napi_key = "sk-secret"\n')
    assert "api_key_env" in error.hint
    assert "sk-secret" not in str(error)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"mode = '\xff'\n", "ensemble.toml, line 1: not UTF-8"),
        (b"x = " + b"[" * 20_000, "not a settings file"),
        (b"# " + b"x" * 1024 * 1024, "larger than 1 MiB"),
    ],
)
def test_a_file_that_is_no_settings_file_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "ensemble.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=message):
        load(tmp_path)


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    (tmp_path / "ensemble.toml").write_bytes(b"\xef\xbb\xbf# x\r\n[budget]\r\nusd = 'a'\r\n")
    with pytest.raises(ConfigurationError, match="line 3"):
        load(tmp_path)


def test_a_pipe_in_a_repository_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ensemble.toml")
    assert load(tmp_path).settings == Settings()


def test_a_broken_file_of_the_user_is_named_in_full(user: Path) -> None:
    user.write_text("mode = 3\n")
    with pytest.raises(ConfigurationError, match="line 1: mode: ") as caught:
        load()
    assert caught.value.message.startswith(str(user))


def test_editors_may_write_camel_case_and_leave_things_unset() -> None:
    loaded = load(
        editor={
            "budget": {"dayUsd": 2, "usd": None},
            "panel": [{"model": "m", "apiBase": "http://x", "family": ""}],
            "anchor": "",
            "store.keepDays": 7,
        }
    )
    assert loaded.settings.budget.day_usd == 2
    assert loaded.settings.panel[0].api_base == "http://x"
    assert loaded.settings.anchor is None
    assert loaded.settings.store.keep_days == 7


def test_an_editors_own_keys_in_our_section_are_passed_over_and_slips_are_named() -> None:
    loaded = load(editor={"trace": {"server": "off"}, "serverPath": "/x", "budget": {"dayUsdd": 1}})
    assert loaded.settings == Settings()
    assert loaded.notices == ('editor settings: unknown key budget.day_usdd; did you mean "budget.day_usd"?',)


def test_a_wrong_value_of_the_editor_is_laid_at_its_door() -> None:
    with pytest.raises(ConfigurationError, match=r"^editor settings: budget\.usd: Input should be"):
        load(editor={"budget": {"usd": "x"}})


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"^ENSEMBLE_ROUNDS: rounds: Input should be") as caught:
        load(environment={"ENSEMBLE_ROUNDS": "nine"})
    assert caught.value.source == "ENSEMBLE_ROUNDS"


def test_a_variable_with_a_slip_is_noticed_and_others_are_passed_over() -> None:
    loaded = load(
        environment={
            "ENSEMBLE_BUGET_USD": "1",
            "ENSEMBLE_STATE_DIR": "/x",
            "ENSEMBLE_SOMETHING_ELSE": "1",
            "ENSEMBLE_LOCAL": " ",
        }
    )
    assert loaded.settings == Settings()
    assert loaded.notices == (
        "variable ENSEMBLE_BUGET_USD is not a setting; did you mean ENSEMBLE_BUDGET_USD?",
    )


@pytest.mark.parametrize(("text", "value"), [("1", True), ("true", True), ("no", False), ("0", False)])
def test_a_variable_can_be_yes_or_no(text: str, value: bool) -> None:
    assert load(environment={"ENSEMBLE_LOCAL": text}).settings.local is value


def test_the_command_line_may_leave_things_open() -> None:
    loaded = load(overrides={"budget": {"usd": 2, "calls": None}, "budget.seconds": 9, "local": None})
    budget = loaded.settings.budget
    assert (budget.usd, budget.seconds, budget.calls, loaded.settings.local) == (2, 9, None, False)


def test_paths_start_at_their_file_or_at_the_workspace(user: Path, tmp_path: Path) -> None:
    user.write_text('[embedded]\npath = "models/x.gguf"\n')
    (tmp_path / "ensemble.toml").write_text('[execution]\npython = ".venv/bin/python"\n')
    settings = load(tmp_path).settings
    assert settings.embedded.path == user.parent / "models" / "x.gguf"
    assert settings.execution.python == tmp_path / ".venv/bin/python"
    from_variable = load(tmp_path, environment={"ENSEMBLE_EXECUTION_PYTHON": "env/bin/python"})
    assert from_variable.settings.execution.python == tmp_path / "env/bin/python"


def test_a_policy_tightens_and_says_so(policy: Path, user: Path) -> None:
    policy.write_text(
        'local = true\ntranscripts = false\nsandbox = "required"\n[caps]\nusd = 0.2\ncalls = 9\n'
    )
    user.write_text("[budget]\nusd = 0.1\n")
    loaded = load(overrides={"budget.usd": 3})
    settings = loaded.settings
    assert settings.local
    assert not settings.store.transcripts
    assert not settings.store.replies
    assert settings.execution.sandbox == "required"
    assert (settings.budget.usd, settings.budget.calls) == (0.2, 9)
    assert len(loaded.notices) == 6
    assert f"budget.usd = 0.2 ({policy})" in " ".join(loaded.notices)
    assert loaded.sources["budget.usd"] == str(policy)


def test_a_policy_cannot_loosen(policy: Path) -> None:
    policy.write_text("local = false\ntranscripts = true\n[caps]\nusd = 100\nday_usd = 100\n")
    stricter = {"local": True, "store.transcripts": False, "budget.usd": 0.1}
    settings = load(overrides=stricter).settings
    assert settings.local
    assert not settings.store.transcripts
    assert (settings.budget.usd, settings.budget.day_usd) == (0.1, 5.0)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", ["openai", "llm.corp.example"]),
        ('recipients = ["OpenAI"]', ["openai"]),
        ('recipients = ["*.corp.example"]', ["llm.corp.example"]),
        ("recipients = []", []),
        ('recipients = ["openai"]\nlocal = true', []),
    ],
)
def test_a_policy_names_who_may_get_code(policy: Path, text: str, allowed: list[str]) -> None:
    policy.write_text(text)
    rule = load().policy
    assert [name for name in ("openai", "llm.corp.example") if rule.allows(name)] == allowed
    assert rule.allows("")


def test_a_policy_binds_the_limits_of_a_single_job(policy: Path) -> None:
    policy.write_text("[caps]\nusd = 0.2\ncalls = 9\nday_usd = 1\n")
    rule = load().policy
    assert rule.limits(Limits(usd=None, seconds=None, calls=20)) == Limits(usd=0.2, seconds=None, calls=9)
    assert rule.limits(Limits(usd=0.1)) == Limits(usd=0.1, seconds=120.0, calls=9)
    assert (rule.day_usd(None), rule.day_usd(0.5)) == (1, 0.5)


@pytest.mark.parametrize("text", ["recipients = [", "recipient = ['x']", "local = 'perhaps'"])
def test_a_broken_policy_is_an_error(policy: Path, text: str) -> None:
    policy.write_text(text)
    with pytest.raises(ConfigurationError, match=r"policy\.toml, line 1"):
        load()


def test_a_policy_that_cannot_be_read_is_an_error(policy: Path) -> None:
    policy.mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load()
