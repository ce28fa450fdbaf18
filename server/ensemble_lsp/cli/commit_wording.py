"""A better message for a commit that is there: printed, with the change it describes as context, never written."""

from pathlib import Path

import typer

from ensemble_lsp.cli.failures import DONE, WITHOUT_RESULT, exit_status
from ensemble_lsp.cli.options import Common
from ensemble_lsp.cli.render import json_document, print_end
from ensemble_lsp.cli.running import Request, run_job
from ensemble_lsp.cli.target import Target, workspace_of
from ensemble_lsp.cli.terminal import consoles, one_line, printable, write_text
from ensemble_lsp.context.git import call_git
from ensemble_lsp.context.git_changes import commit_of, require_work_tree
from ensemble_lsp.core.commit_messages import said_lines
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action

_PATH = "COMMIT_EDITMSG"


def reword(revision: str | None, instruction: str, common: Common) -> typer.Exit:
    """Print a better message for a commit (HEAD by default); trailers stay. Returns how the command ends.

    Raises `UsageError` for what names no commit.
    """
    workspace = workspace_of(Path.cwd()).resolve()
    require_work_tree(workspace)
    commit = commit_of(workspace, revision or "HEAD", field="FILE")
    message = _message(workspace, commit)
    request = Request(
        Action.REWRITE,
        workspace,
        (Target(workspace, _PATH, None),),
        instruction=instruction,
        base=commit,
        texts={_PATH: message},
    )
    ended = run_job(request, common)
    out, err = consoles()
    proposal = ended.result.proposal
    code = exit_status(ended.result)
    if proposal is None and code == DONE:
        code = WITHOUT_RESULT
    if common.as_json:
        write_text(out, json_document(ended, code=code))
        return typer.Exit(code)
    after = proposal.chosen.changes[0].after if proposal is not None else None
    if after is not None:
        write_text(out, printable(after.text).rstrip("\n") + "\n")
    print_end(ended, err)
    if after is not None:
        last = commit == commit_of(workspace, "HEAD")
        how = (
            "git commit --amend -F FILE takes it"
            if last
            else f"git rebase -i {one_line(commit[:12])}~ with `reword` takes it"
        )
        err.print(f"  nothing was changed; {how}", soft_wrap=True)
    return typer.Exit(code)


def _message(workspace: Path, commit: str) -> str:
    shown = call_git(
        workspace, "log", "-1", "--format=%B", "--encoding=UTF-8", "--no-show-signature", commit, "--"
    )
    text = shown.out.decode("utf-8", "replace").rstrip("\n") + "\n"
    if said_lines(text) is None:
        raise UsageError(f"the commit {commit[:12]} has no message", field="FILE", hint="name another commit")
    return text
