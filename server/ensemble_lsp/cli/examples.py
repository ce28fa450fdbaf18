"""The end of a command's help: examples, one a line."""


def examples(*commands: str) -> str:
    """Return an epilogue; typer's help keeps paragraphs apart and joins what is within one."""
    return "\n\n".join(["Examples:", *(f"  $ ensemble-lsp {command}" for command in commands)])
