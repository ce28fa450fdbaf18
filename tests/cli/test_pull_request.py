"""`--pr`: a push to a bare repository on this machine, and a pull request at a fake GitHub."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ensemble_lsp.cli.branching.landing import Landed, land, plan
from ensemble_lsp.cli.branching.options import Branching
from ensemble_lsp.core.errors import EnsembleError, TrustRequired, UsageError
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.text import SourceText
from tests.cli.branches import Repository, repository
from tests.cli.conftest import CommandLine, panel
from tests.cli.test_commit_message import account
from tests.support.fake_github import FakeGitHub, Trouble
from tests.support.shop import BUGGY, FIXED

WANTED = Branching(branch="fix/total", pull_request=True)


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with FakeGitHub("shop/cart") as server:
        yield server


@pytest.fixture
def shop(tmp_path: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The shop with a bare repository behind an address of the fake GitHub's."""
    found = repository(tmp_path)
    bare = tmp_path / "bare.git"
    found.git("init", "-q", "--bare", str(bare))
    found.git("remote", "add", "origin", "https://github.example/shop/cart.git")
    found.git("config", f"url.{bare}.insteadOf", "https://github.example/shop/cart.git")
    found.git("push", "-q", "origin", "main")
    github.bare = bare
    monkeypatch.chdir(found.root)
    monkeypatch.setenv("PATH", _without_gh(tmp_path))
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.example")
    monkeypatch.setenv("GITHUB_API_URL", github.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.token)
    for name in ("GH_TOKEN", "GH_HOST", "GITHUB_ACTIONS", "GIT_ASKPASS"):
        monkeypatch.delenv(name, raising=False)
    return found


def _without_gh(folder: Path) -> str:
    """Return a PATH with a place for a `gh` of our own in front of the system's programs."""
    programs = folder / "bin"
    programs.mkdir()
    return f"{programs}:/usr/bin:/bin"


def pushed(github: FakeGitHub) -> list[str]:
    assert github.bare is not None
    return Repository(github.bare).git("for-each-ref", "--format=%(refname:short)", "refs/heads").splitlines()


def landed(
    shop: Repository, wanted: Branching = WANTED, *, agree: bool = True, trusted: bool = True
) -> Landed:
    """Land the fix of the shop as `--branch … --pr` does once a job has it."""
    ready = plan(shop.root, wanted, ("cart.py",), may_push=True)
    assert ready is not None
    told = account(words="fine")
    change = FileChange(path="cart.py", before=SourceText(BUGGY), after=SourceText(FIXED))
    chosen = told.proposal.chosen.model_copy(update={"changes": (change,)})
    proposal = told.proposal.model_copy(update={"chosen": chosen})
    told = type(told)(told.job, told.action, told.reason, proposal, told.spend, told.dissent)
    return land(ready, told, lambda _: agree, trusted=trusted)


def test_the_branch_is_pushed_and_a_pull_request_states_evidence_and_dissent(
    ensemble: CommandLine, shop: Repository, github: FakeGitHub, seated: Path
):
    command = ("fix", "cart.py", "--trust", "--yes", "--json", "--branch", "fix/total", "--pr", "--draft")

    ran = ensemble(*command, *panel("good", "wrong"))

    assert ran.code == 0, ran.err
    (pull,) = github.pulls.values()
    assert pushed(github) == ["fix/total", "main"]
    assert (pull["title"], pull["head"]["ref"], pull["base"]["ref"]) == ("Fix total", "fix/total", "main")
    assert pull["draft"] is True
    assert "| pytest | passed | 3 passed" in pull["body"]
    assert "<details><summary>Argued otherwise" in pull["body"]
    assert ran.document["branch"] == {
        "name": "fix/total",
        "commit": shop.git("rev-parse", "fix/total"),
        "parent": shop.git("rev-parse", "main"),
        "signed": True,
        "pushed": True,
        "pullRequest": pull["html_url"],
    }
    assert f"opened: {pull['html_url']}" in ran.err
    assert github.token not in ran.err + ran.out


def test_nobody_agreed_so_nothing_left_the_machine(shop: Repository, github: FakeGitHub):
    found = landed(shop, agree=False)

    assert found.problem is not None
    assert found.problem.message == "not pushed: nobody agreed; the commit stands on fix/total"
    assert "git push origin fix/total" in found.problem.hint
    assert pushed(github) == ["main"]
    assert shop.git("rev-parse", "fix/total") == found.commit


def test_a_folder_that_is_not_trusted_is_not_pushed_from(shop: Repository, github: FakeGitHub):
    with pytest.raises(TrustRequired):
        plan(shop.root, WANTED, ("cart.py",), may_push=False)

    found = landed(shop, trusted=False)
    assert found.problem is not None
    assert "this folder is not trusted" in found.problem.message
    assert pushed(github) == ["main"]


def test_a_branch_of_that_name_at_the_remote_is_left_alone(shop: Repository, github: FakeGitHub):
    shop.git("push", "-q", "origin", "main:refs/heads/fix/total")
    assert github.bare is not None
    before = Repository(github.bare).git("rev-parse", "fix/total")

    found = landed(shop)

    assert found.problem is not None
    assert "origin has a branch fix/total already" in found.problem.message
    assert Repository(github.bare).git("rev-parse", "fix/total") == before
    assert not github.pulls


def test_a_pull_request_that_is_there_is_named(shop: Repository, github: FakeGitHub):
    pull = github.add_pull(head="f" * 40, base="0" * 40, head_ref="fix/total")

    found = landed(shop)

    assert found.problem is not None
    assert pull["html_url"] in found.problem.message
    assert found.url == pull["html_url"]
    assert pushed(github) == ["main"]


def test_a_lost_answer_opened_one_pull_request_and_not_two(shop: Repository, github: FakeGitHub):
    github.trouble.append(Trouble("POST", r"/pulls$", 502, after=True))

    found = landed(shop)

    assert found.problem is None
    assert len(github.pulls) == 1
    assert found.url == next(iter(github.pulls.values()))["html_url"]


def test_a_token_without_permission_leaves_the_branch_pushed_and_says_what_to_do(
    shop: Repository, github: FakeGitHub
):
    github.trouble.append(Trouble("POST", r"/pulls$", 403, message="Resource not accessible by integration"))

    found = landed(shop)

    assert found.pushed
    assert found.problem is not None
    assert "pushed, but no pull request was opened" in found.problem.message
    assert "403 Resource not accessible" in found.problem.message
    assert "pull-requests: write" in found.problem.hint
    assert "gh pr create --head fix/total" in found.problem.hint


def test_a_rule_of_the_remote_that_refuses_the_branch_is_quoted(shop: Repository, github: FakeGitHub):
    assert github.bare is not None
    hook = github.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'GH006: Protected branch update failed' >&2\nexit 1\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)

    found = landed(shop)

    assert found.problem is not None
    assert "origin refused the branch" in found.problem.message
    assert "Protected branch update failed" in found.problem.message
    assert not found.pushed


def test_no_hook_of_the_work_tree_runs_at_the_push(shop: Repository, tmp_path: Path):
    hook = shop.root / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)

    assert landed(shop).pushed
    assert not (tmp_path / "ran").exists()


def test_commits_of_the_persons_own_are_counted_in_the_question(shop: Repository):
    shop.git("fetch", "-q", "origin")
    (shop.root / "notes.txt").write_text("mine\n")
    shop.commit_all("Mine")
    asked: list[str] = []
    ready = plan(shop.root, WANTED, ("cart.py",), may_push=True)
    assert ready is not None
    change = FileChange(path="cart.py", before=SourceText(BUGGY), after=SourceText(FIXED))
    chosen = Candidate(id="c", changes=(change,), members=(), families=())
    proposal = Proposal(id="p", job="j", title="Fix", standing=Standing.VERIFIED, chosen=chosen)
    told = account(words="fine")
    told = type(told)("j", "fix", "because", proposal, told.spend, ())

    land(ready, told, lambda question: bool(asked.append(question)), trusted=True)

    question = (
        "Push fix/total with 1 commit of yours that it does not have yet to shop/cart (origin) "
        "and open a pull request into main?"
    )
    assert asked == [question]


def test_gh_is_used_where_somebody_is_logged_in(
    shop: Repository, github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    log = tmp_path / "gh.log"
    gh = tmp_path / "bin" / "gh"
    gh.write_text(
        "#!/bin/sh\n"
        f"printf '%s\\n' \"$*\" >> {log}\n"
        'case "$1 $2" in\n'
        '  "pr list") echo "[]" ;;\n'
        f'  "pr create") cat > {tmp_path / "body"}; echo "Creating"; '
        "echo https://github.example/shop/cart/pull/9 ;;\n"
        "esac\n"
    )
    gh.chmod(0o755)
    monkeypatch.delenv("GITHUB_TOKEN")

    found = landed(shop)

    assert found.url == "https://github.example/shop/cart/pull/9"
    assert log.read_text().splitlines() == [
        "auth status --hostname github.example",
        "pr list --repo github.example/shop/cart --head fix/total --state open --json url",
        "pr create --repo github.example/shop/cart --head fix/total --title=Fix total --body-file - --base main",
    ]
    assert "| check | outcome |" in (tmp_path / "body").read_text()
    assert not github.requests


def test_without_gh_and_without_a_token_it_is_refused_before_anything_happens(
    shop: Repository, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("GITHUB_TOKEN")

    with pytest.raises(UsageError, match="nothing can open a pull request here") as refused:
        plan(shop.root, WANTED, ("cart.py",), may_push=True)

    assert "GITHUB_TOKEN" in refused.value.hint


def test_a_workflow_for_a_fork_does_not_push(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    event = tmp_path / "event.json"
    event.write_text(
        json.dumps({"pull_request": {"number": 7, "head": {"repo": {"full_name": "mallory/cart"}}}})
    )
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_REPOSITORY", "shop/cart")
    for name in ("pull_request", "pull_request_target"):
        monkeypatch.setenv("GITHUB_EVENT_NAME", name)
        with pytest.raises(UsageError, match="of a fork does not push"):
            plan(shop.root, WANTED, ("cart.py",), may_push=True)


@pytest.mark.parametrize(
    "wanted",
    [
        Branching(pull_request=True),
        Branching(draft=True),
        Branching(branch="fix/total", base="main"),
    ],
)
def test_options_that_make_no_sense_alone_are_refused(wanted: Branching):
    with pytest.raises(EnsembleError):
        wanted.require_sense(apply=False)
