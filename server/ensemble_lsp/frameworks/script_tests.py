"""vitest and jest: how tests of one JavaScript or TypeScript file are written, read and put together."""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Literal

from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.ensemble.framework import Chosen, TestModule, Unit, free_name, worst_of
from ensemble_lsp.frameworks.failures import bounded_end, section_of
from ensemble_lsp.frameworks.script_exports import Exported
from ensemble_lsp.frameworks.script_file import (
    bound_in,
    composition,
    ids_in,
    imports_in,
    with_blocks,
    words_in,
)
from ensemble_lsp.frameworks.script_imports import (
    ScriptImport,
    merged,
    plain_source,
    resolved,
    with_imports,
)
from ensemble_lsp.frameworks.script_units import BETWEEN, read_script, retitled, same_script_test
from ensemble_lsp.frameworks.syntax import Grammar

_TEST = re.compile(r"^[ \t]*(?:it|test)(?:\.\w+)*[ \t]*[(`]", re.MULTILINE)
_SECTION = re.compile(r"^● (?P<name>.+)$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"%[sdifjoOc#$%]|\$\{[^}]*\}|\$[A-Za-z_#][\w.]*")
_BROKEN = re.compile(
    r"ReferenceError: \S+ is not defined|Cannot find (?:module|package)|does not provide an export"
    r"|(?:__vite_ssr_import_\d+__|\(0 , \w+)\.\w+\)? is not a (?:function|constructor)"
)
_EXPECTED = re.compile(r"^\s*Expected[^:\n]*: *(.+)$", re.MULTILINE)
_RECEIVED = re.compile(r"^\s*Received[^:\n]*: *(.+)$", re.MULTILINE)
_LESS = re.compile(r"^- +(?!Expected\b)(\S.*)$", re.MULTILINE)
_MORE = re.compile(r"^\+ +(?!Received\b)(\S.*)$", re.MULTILINE)
_SOURCES: Mapping[str, frozenset[str]] = {
    "vitest": frozenset({"vitest"}),
    "jest": frozenset({"@jest/globals", "jest"}),
}
_WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(
        {"describe", "it", "test", "expect", "beforeEach", "afterEach", "beforeAll", "afterAll", spy}
    )
    for name, spy in (("vitest", "vi"), ("jest", "jest"))
}


@dataclass(frozen=True, slots=True)
class ScriptStyle:
    """How test files look in a project, as far as imports and the outermost calls go."""

    required: bool = False
    """CommonJS: `require`."""
    global_words: bool = False
    """`describe`, `it` and `expect` are there without an import."""
    quote: str = '"'
    end: str = ";"
    suites: bool = True
    """Whether tests stand in `describe`."""
    word: Literal["it", "test"] = "it"


@dataclass(frozen=True, slots=True)
class ScriptTests:
    """Tests of one file of JavaScript or TypeScript; `source` is what they import it from."""

    name: Literal["vitest", "jest"]
    home: str
    path: str
    source: str
    style_of: ScriptStyle
    examples: tuple[str, ...] = ()
    namesakes: frozenset[str] = frozenset()
    """Other files of the code's name, without extension: an import that means one of them stays."""
    exported: Exported = field(default_factory=Exported)

    @property
    def grammar(self) -> Grammar:
        """The grammar of the test file."""
        return grammar_of(self.home)

    @property
    def fence(self) -> str:
        """The language's usual name."""
        return "javascript" if self.grammar == "javascript" else "typescript"

    @property
    def file_kind(self) -> str:
        """A file in the language of the test file."""
        return f"{'JavaScript' if self.grammar == 'javascript' else 'TypeScript'} test file"

    @property
    def style(self) -> str:
        """How tests are nested, and where their words come from."""
        form = self.style_of
        each = f'{form.word}("…") for each test'
        shape = (
            f"one describe block with {each} in it"
            if form.suites
            else f"{each}, without describe around them"
        )
        parts = [f"Write tests for {self.name}: {shape}, and expect for what is expected."]
        if form.global_words:
            parts.append("These words are globals here: do not import them.")
        elif not form.required:
            parts.append(f"Import them from {form.quote}{self._package}{form.quote}.")
        if form.required:
            parts.append("The project's modules are CommonJS: use require, not import.")
        return " ".join((*parts, "No snapshots."))

    @property
    def importing(self) -> str:
        """The source that the code is imported from, seen from the test file."""
        quoted = f"{self.style_of.quote}{self.source}{self.style_of.quote}"
        return f"The test file is {self.home}; it imports the code from {quoted}."

    @property
    def _package(self) -> str:
        return "vitest" if self.name == "vitest" else "@jest/globals"

    def count(self, text: str) -> int:
        """Count calls of `it` and `test`."""
        return len(_TEST.findall(text))

    def read(self, code: str) -> TestModule | str:
        """Take a file apart."""
        return read_script(self.grammar, code)

    def names_in(self, code: str) -> frozenset[str]:
        """Return the ids of the tests there."""
        return ids_in(self.grammar, code)

    def names_of(self, module: TestModule) -> frozenset[str]:
        """Return the ids of the tests."""
        return frozenset(unit.id_in for unit in module.units)

    def renamed(self, module: TestModule, taken: Set[str]) -> TestModule:
        """Give tests titles that their suite does not have yet."""
        used = set(taken)
        units: list[Unit] = []
        for unit in module.units:
            prefix = f"{unit.group}::" if unit.group else ""
            name = free_name(unit.id_in, used, "{name} ({number})").removeprefix(prefix)
            used.add(f"{prefix}{name}")
            units.append(replace(unit, name=name, text=retitled(unit.text, unit.name, name)))
        return replace(module, units=tuple(units))

    def composed(self, existing: str, chosen: Chosen) -> str:
        """Put imports among those there, tests into plain suites of the same title, and the rest at the end."""
        added = composition(self.grammar, existing, chosen)
        body = "\n\n".join((*added.blocks, *(block for blocks in added.into.values() for block in blocks)))
        words = words_in(self.grammar, body)
        statements = [line for module, units in chosen if units for line in module.imports]
        theirs = merged(map(self._suited, imports_in(self.grammar, statements)))
        wanted = [
            used
            for item in theirs
            if item.source not in _SOURCES[self.name] and (used := item.used_in(words)) is not None
        ]
        form = self.style_of
        own = () if form.global_words else self._own_words(words)
        bound = bound_in(self.grammar, body).union(*(item.locals for item in wanted))
        wanted = merged([*wanted, *self._forgotten(words - bound)])
        top = with_imports(existing, [*own, *wanted], self.grammar, form.quote, form.end)
        return with_blocks(self.grammar, top, added)

    def _own_words(self, words: frozenset[str]) -> tuple[ScriptImport, ...]:
        names = tuple((word, word) for word in sorted(words & _WORDS[self.name]))
        if not names:
            return ()
        return (ScriptImport(self._package, names=names, required=self.style_of.required),)

    def _forgotten(self, words: frozenset[str]) -> list[ScriptImport]:
        """Return imports of what the code exports, and tests use unbound."""
        values, types = (
            tuple((word, word) for word in sorted(words & names))
            for names in (self.exported.values, self.exported.types)
        )
        found = [ScriptImport(self.source, names=values, required=self.style_of.required)] if values else []
        return [*found, ScriptImport(self.source, names=types, types=True)] if types else found

    def _suited(self, item: ScriptImport) -> ScriptImport:
        """Write an import as the project does, and let one that goes a wrong way to the code reach it."""
        if self.style_of.required and not item.types:
            item = replace(item, required=True)
        folder = str(PurePosixPath(self.home).parent)
        if not item.source.startswith("."):
            return item
        here = resolved(item.source, folder)
        named = PurePosixPath(plain_source(item.source)).name == PurePosixPath(plain_source(self.source)).name
        right = here == plain_source(self.path)
        return replace(item, source=self.source) if right or (named and here not in self.namesakes) else item

    def same_test(self, unit: Unit) -> str:
        """Compare by the tokens."""
        return same_script_test(self.grammar, unit)

    def by_unit(self, outcomes: Mapping[str, Outcome], units: Iterable[Unit]) -> dict[str, Outcome]:
        """Take the file off; what `each` made of a title is found by the title's fixed parts."""
        known = list(units)
        exact = {unit.id_in for unit in known}
        forms = [(unit.id_in, pattern_of(unit.id_in)) for unit in known if _PLACEHOLDER.search(unit.id_in)]
        # "is %i (2)" before "is %i", which it fits as well.
        forms.sort(key=lambda pair: -len(pair[1]))
        found: list[tuple[str, Outcome]] = []
        for name, outcome in outcomes.items():
            ran = name.removeprefix(f"{self.home}::")
            if ran in exact:
                found.append((ran, outcome))
            else:
                found += [(ident, outcome) for ident, form in forms if re.fullmatch(form, ran, re.DOTALL)][:1]
        return worst_of(found)

    def failure_of(self, log: str, unit: Unit) -> str:
        """Find the section of a test."""
        name = f"{unit.group}{BETWEEN}{unit.name}" if unit.group else unit.name
        form = re.compile(pattern_of(" ".join(name.split())), re.DOTALL)
        return section_of(log, _SECTION, lambda head: form.fullmatch(head) is not None) or bounded_end(log)

    def essence(self, failure: str) -> str:
        """Return what was expected and received: jest says it in two lines, vitest in one."""
        expected, received = _EXPECTED.search(failure), _RECEIVED.search(failure)
        if expected is not None and received is not None:
            return f"expected {expected.group(1).strip()}, received {received.group(1).strip()}"[:300]
        missing, more = _LESS.search(failure), _MORE.search(failure)
        if missing is not None and more is not None:
            return f"expected {missing.group(1).rstrip(',')}, received {more.group(1).rstrip(',')}"[:300]
        first = next((line.strip() for line in failure.splitlines() if line.strip()), "")
        return first.partition(" // ")[0][:300]

    def is_broken(self, failure: str) -> bool:
        """Whether a name, an export or a module is missing."""
        return bool(_BROKEN.search(failure))


def grammar_of(path: str) -> Grammar:
    """Return the grammar of a file by its name."""
    suffix = PurePosixPath(path).suffix
    return "tsx" if suffix == ".tsx" else "typescript" if "ts" in suffix else "javascript"


def pattern_of(title: str) -> str:
    """Return a regular expression for the titles that `each` makes of one, or a template with values in it."""
    return ".*".join(re.escape(part) for part in _PLACEHOLDER.split(title))
