"""Where a member may create a file: inside the workspace, where nothing is, and nothing ignored or linked."""

from ensemble_lsp.context.reading import Reader
from ensemble_lsp.core.blocks import JudgePath, ProblemKind
from ensemble_lsp.core.reply_paths import leaves_workspace


def new_file_judge(reader: Reader) -> JudgePath:
    """Return what says of a path that was not shown whether a file may be created there."""

    def judge(path: str) -> ProblemKind | None:
        if leaves_workspace(path):
            return ProblemKind.OUTSIDE_WORKSPACE
        full = reader.workspace / path
        try:
            if full.is_symlink() or not full.parent.resolve().is_relative_to(reader.workspace):
                return ProblemKind.OUTSIDE_WORKSPACE
            if full.exists() or path in reader.overlays:
                return ProblemKind.NOT_SHOWN
            real = full.parent.resolve().relative_to(reader.workspace) / full.name
        except (OSError, RuntimeError, ValueError):
            return ProblemKind.OUTSIDE_WORKSPACE
        ignored = reader.rules.ignored(path) or reader.rules.ignored(real.as_posix())
        return ProblemKind.NOT_SHOWN if ignored is not None else None

    return judge
