"""Where names are defined in a workspace: a coarse index by regular expressions, kept between jobs.

It only has to say which files to look into; exact places come from the grammar afterwards. Parsing 5,000
files by grammar would take ten times as long.
"""

import os
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ensemble_lsp.context.grammars import language_of
from ensemble_lsp.context.regular_files import read_regular
from ensemble_lsp.core.text import SourceText

_FILES = 8_000
_FILE_BYTES = 300_000
_TOTAL_BYTES = 64_000_000

_CURLY = (
    r"\b(?:class|interface|enum|record|struct|trait|object|protocol|fun|func|function|namespace|union|typealias)"
    r"[ \t]+(\w+)|#[ \t]*define[ \t]+(\w+)|\b(\w{1,80})[ \t]{0,4}\([^;{}]{0,300}\)[^;{}()=]{0,80}\{"
)
_SCRIPT = (
    r"\b(?:function\*?|class|interface|enum|type|namespace)[ \t]+([A-Za-z_$][\w$]*)"
    r"|^(?:export[ \t]+)?(?:const|let|var)[ \t]+([\w$]+)"
    r"|^[ \t]+(?:(?:public|private|protected|static|async|override|get|set)[ \t]+)*([\w$]{1,80})[ \t]{0,4}"
    r"\([^;{}\n]{0,300}\)[^;{}()=\n]{0,80}\{"
)
_DEFINITIONS: dict[str, re.Pattern[str]] = {
    language: re.compile(expression, re.MULTILINE)
    for languages, expression in (
        (
            ("python",),
            r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^([A-Za-z]\w*)[ \t]*(?::[^=\n]+)?=(?!=)",
        ),
        (("javascript", "typescript", "tsx"), _SCRIPT),
        (
            ("go",),
            r"^func[ \t]+(?:\([^)\n]*\)[ \t]*)?(\w+)|^type[ \t]+(\w+)|^(?:const|var)[ \t]+(\w+)",
        ),
        (
            ("rust",),
            r"\b(?:fn|struct|enum|trait|union|mod|type|const|static|macro_rules!)[ \t]+(?:mut[ \t]+)?(\w+)",
        ),
        (("ruby",), r"^[ \t]*(?:def[ \t]+(?:self\.)?|class[ \t]+|module[ \t]+)(\w+)"),
        (("lua",), r"\bfunction[ \t]+(?:\w+[.:])*(\w+)|\b(\w{1,80})[ \t]{0,9}=[ \t]{0,9}function\b"),
        (("c", "cpp", "java", "csharp", "php", "kotlin", "swift"), _CURLY),
    )
    for language in languages
}
_KEYWORDS = frozenset(
    {"if", "for", "while", "switch", "catch", "return", "function", "else", "with", "match"}
)
_FAMILIES = ({"javascript", "typescript", "tsx"}, {"c", "cpp"}, {"java", "kotlin"})
_WORD = re.compile(r"[A-Za-z_]\w{2,}")


def same_family(one: str, other: str) -> bool:
    """Whether code of the two languages uses each other's names."""
    return one == other or any(one in family and other in family for family in _FAMILIES)


def test_file(path: str) -> bool:
    """Whether the path is a test's by the conventions of its language."""
    file = PurePosixPath(path)
    stem, folders = file.name.split(".", 1)[0], {part.lower() for part in file.parts[:-1]}
    if not language_of(path):
        return False
    lowered = stem.lower()
    return (
        lowered.startswith("test_")
        or lowered.endswith(("_test", "_spec", "_tests"))
        or stem.endswith(("Test", "Tests", "Spec", "IT"))
        or ".test." in file.name
        or ".spec." in file.name
        or not folders.isdisjoint({"tests", "test", "__tests__", "spec", "specs"})
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    stamp: tuple[int, int]
    names: frozenset[str]
    words: frozenset[str]
    """Of test files only: what they mention."""


class DefinitionIndex:
    """Names by file, of one workspace. Safe to share between jobs; only files that changed are read again."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._by_name: dict[str, tuple[str, ...]] = {}
        self._lock = threading.Lock()

    def refresh(
        self, workspace: Path, files: Iterable[str], overlays: Mapping[str, SourceText]
    ) -> "IndexView":
        """Bring the index up to date with `files` (sorted), bounded by 8,000 files and 64 MB.

        `overlays` count for this view only.
        """
        with self._lock:
            seen: dict[str, _Entry] = {}
            changed = False
            total = 0
            for path in files:
                if len(seen) >= _FILES or total >= _TOTAL_BYTES:
                    break
                if language_of(path) not in _DEFINITIONS:
                    continue
                entry = self._current(f"{workspace}/{path}", path)
                if entry is None:
                    continue
                total += entry.stamp[1]
                changed = changed or self._entries.get(path) is not entry
                seen[path] = entry
            if changed or len(seen) != len(self._entries):
                self._entries = seen
                self._by_name = _inverted(seen)
            view = IndexView(dict(self._entries), self._by_name)
        return view.with_overlays(overlays)

    def _current(self, full: str, path: str) -> _Entry | None:
        try:
            status = os.lstat(full)
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._entries.get(path)
            if known is not None and known.stamp == stamp:
                return known
            # Links are left out: what they lead to has a path of its own, or is outside.
            data = read_regular(full, _FILE_BYTES, follow_links=False)
            return None if data is None else _entry(path, data.decode("utf-8", "replace"), stamp)
        except OSError:
            return None


@dataclass(frozen=True)
class IndexView:
    """The index as one job sees it."""

    _entries: dict[str, _Entry]
    _by_name: Mapping[str, tuple[str, ...]]

    def with_overlays(self, overlays: Mapping[str, SourceText]) -> "IndexView":
        """Return the view with the editor's texts in place of the files'."""
        changed = {
            path: _entry(path, source.text, (0, len(source.text)))
            for path, source in overlays.items()
            if language_of(path) in _DEFINITIONS
        }
        if not changed:
            return self
        entries = {**self._entries, **changed}
        return IndexView(entries, _inverted(entries))

    def defines(self, path: str, name: str) -> bool:
        """Whether the file seems to define the name."""
        entry = self._entries.get(path)
        return entry is not None and name in entry.names

    def files_defining(self, name: str) -> tuple[str, ...]:
        """Return the files that seem to define the name, sorted."""
        return self._by_name.get(name, ())

    def tests_mentioning(self, names: Iterable[str], module: str) -> list[tuple[str, int, bool]]:
        """Return (path, how many of the names it mentions, whether it mentions `module`) of test files.

        Sorted by path; only those that mention one of the names.
        """
        wanted = frozenset(names)
        tests = ((path, entry.words) for path, entry in self._entries.items() if entry.words)
        found = ((path, len(words & wanted), module in words) for path, words in tests)
        return sorted(item for item in found if item[1])


def _entry(path: str, text: str, stamp: tuple[int, int]) -> _Entry:
    names = {match.group(match.lastindex or 0) for match in _DEFINITIONS[language_of(path)].finditer(text)}
    words = frozenset(_WORD.findall(text)) if test_file(path) else frozenset[str]()
    return _Entry(stamp, frozenset(names - _KEYWORDS), words)


def _inverted(entries: Mapping[str, _Entry]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for path in sorted(entries):
        for name in entries[path].names:
            found.setdefault(name, []).append(path)
    return {name: tuple(paths) for name, paths in found.items()}
