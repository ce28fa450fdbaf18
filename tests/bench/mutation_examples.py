"""The examples of tests/cases/mutation: `=== NAME`, a program, and after each `---` one of its changed versions."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "cases" / "mutation"


@dataclass(frozen=True, slots=True)
class Example:
    """A program and every version of it that one kind of change makes."""

    name: str
    before: str
    after: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


def examples(file: str) -> list[Example]:
    """Read the examples of one file."""
    found: list[Example] = []
    for block in (FOLDER / file).read_text(encoding="utf-8").split("=== ")[1:]:
        name, _, rest = block.partition("\n")
        before, *after = (part.strip("\n") + "\n" for part in rest.split("\n---\n"))
        found.append(Example(name, before, tuple(after)))
    return found
