"""The end of a command's help: examples, one a line."""


def examples(*commands: str) -> str:
    """Return an epilogue; typer's help keeps paragraphs apart and joins what is within one.

    A command is what follows the program's name; one that names the program itself, as a pipe into it does, is
    taken as it is.
    """
    return "\n\n".join(["Examples:", *(f"  $ {_in_full(command)}" for command in commands)])


def _in_full(command: str) -> str:
    return command if "ensemble-lsp" in command else f"ensemble-lsp {command}"
