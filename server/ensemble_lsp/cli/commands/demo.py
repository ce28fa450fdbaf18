"""`ensemble-lsp demo`: the main job on a real buggy program, with the embedded model, in a few minutes."""

import shutil
import tempfile
from pathlib import Path

import typer
from rich.text import Text

import ensemble_lsp
from ensemble_lsp.cli import options
from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.failures import DONE, WITHOUT_RESULT, exit_status
from ensemble_lsp.cli.render import print_end, print_proposal
from ensemble_lsp.cli.running import Request, run_job
from ensemble_lsp.cli.target import Target
from ensemble_lsp.cli.terminal import consoles
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.proposals import Standing

EPILOG = examples(
    "demo",
    "demo --weights-mirror --yes",
    "demo --panel openai/gpt-5-mini",
)

PROGRAM = "cart.py"
TEST = "test_cart.py"


def examples_directory() -> Path:
    """Return the folder of the example programs: beside the package when installed, at the top of a checkout."""
    package = Path(ensemble_lsp.__file__).parent
    for candidate in (package / "examples", package.parents[1] / "examples"):
        if (candidate / "shop" / PROGRAM).exists():
            return candidate
    raise UsageError("the example programs are not installed", field="demo", hint="run it from a checkout")


def demo(
    panel: options.PanelOption = None,
    local: options.LocalOption = False,
    mirror: options.MirrorOption = False,
    yes: options.YesOption = False,
    quiet: options.QuietOption = False,
    seconds: options.SecondsOption = 280.0,
) -> None:
    """Fix a real bug in a small program: members draft, drafts are tested, the diff is shown, nothing is written."""
    out, err = consoles()
    common = options.Common(
        panel=panel,
        local=local or panel is None,
        mirror=mirror,
        yes=yes,
        quiet=quiet,
        seconds=seconds,
        trust=True,
    )
    with tempfile.TemporaryDirectory(prefix="ensemble-demo-") as folder:
        shop = Path(folder).resolve() / "shop"
        shutil.copytree(examples_directory() / "shop", shop, ignore=shutil.ignore_patterns("__pycache__"))
        before = (shop / PROGRAM).read_bytes()
        err.print(Text.assemble(("A program with a bug: ", "bold"), f"examples/shop/{PROGRAM}"))
        err.print(
            f"Its test ({TEST}) fails. Members draft fixes without seeing each other; each draft is tested in a "
            "copy; what passes is shown as a diff. The file itself is not touched."
        )
        request = Request(Action.FIX, shop, (Target(shop, PROGRAM, None),), mode=Mode.PANEL)
        ended = run_job(request, common)
        result = ended.result
        if result.proposal is None:
            print_end(ended, err)
            raise typer.Exit(exit_status(result) or WITHOUT_RESULT)
        print_proposal(result.proposal, out, err)
        untouched = (shop / PROGRAM).read_bytes() == before
        calls = result.spend.calls
        err.print(
            f"{PROGRAM} is {'untouched' if untouched else 'CHANGED'}; "
            f"{calls} call{' was' if calls == 1 else 's were'} made."
        )
        verified = result.proposal.standing is Standing.VERIFIED
    err.print(
        "Next: ensemble-lsp fix FILE in a project of yours, or your editor: docs/editors.md", soft_wrap=True
    )
    raise typer.Exit(DONE if untouched and verified else WITHOUT_RESULT)
