"""`python -I -m ensemble_lsp.cli.github review|publish`: the steps of `action.yml`, with inputs in `INPUT_…`."""

import os
import sys

from ensemble_lsp.cli.formats.workflow_commands import command
from ensemble_lsp.cli.github.publishing import publish_step
from ensemble_lsp.cli.github.reviewing import review_step
from ensemble_lsp.cli.terminal import tolerate_any_encoding
from ensemble_lsp.core.errors import EnsembleError

_STEPS = {"review": review_step, "publish": publish_step}


def main(arguments: list[str]) -> int:
    """Run one step; what it cannot do becomes an annotation, and its exit status."""
    tolerate_any_encoding()
    step = _STEPS.get(arguments[0]) if len(arguments) == 1 else None
    if step is None:
        sys.stderr.write(f"one of {', '.join(_STEPS)} is expected\n")
        return 2
    try:
        return step(dict(os.environ))
    except EnsembleError as problem:
        print(command("error", {"title": "Ensemble review"}, str(problem)), flush=True)  # noqa: T201
        return problem.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
