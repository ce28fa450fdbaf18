"""Which files a report of a fault speaks of: by the tests, frames and paths in it, then by its words.

A failing test that is named comes first, since it can be run; then files of a traceback, the innermost frame first;
then files whose path is written out; then the rest by BM25 (Robertson and Zaragoza, 2009, k1 = 1.2, b = 0.75) over the
parts of identifiers, with the files ahead that define a name which the report mentions. It only chooses where a job
starts and what members are shown: where the fault is, they and the tests say.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ensemble_lsp.context.definition_index import DefinitionIndex, test_file
from ensemble_lsp.context.grammars import language_of
from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.symbols import Symbol, symbols_of
from ensemble_lsp.context.workspace_files import workspace_files
from ensemble_lsp.core.text import SourceText, split_lines

PLACES_AT_MOST = 6
"""Places that a job starts from; more would leave each member less of every one."""
FILES_AT_MOST = 4_000
_FILE_BYTES = 200_000
_TOTAL_BYTES = 24_000_000
"""Of all files that are read for one report: some two seconds of counting words."""
_REPORT_CHARACTERS = 40_000
_TERMS_AT_MOST = 60
_K1, _B = 1.2, 0.75
_DEFINES = 3.0
"""What it adds to a file's score that it defines a name which the report mentions: as much as a rare word or two."""
_OF_TESTS = 0.4
"""What the score of a test file is multiplied by: tests speak of everything, and are rarely at fault."""

_TEST_ID = re.compile(r"(?<![\w/.])([\w./-]+\.py)((?:::\w+)+)")
_FRAME = re.compile(
    r'File "([^"\n]{1,400})", line (\d{1,7})|(?<![\w/.])([\w./@-]+\.\w{1,5}):(\d{1,7})(?=[:\s,)]|$)'
)
_PATH = re.compile(r"(?<![\w/.-])(?:[\w@.-]+/)*[\w@.-]+\.[A-Za-z]\w{0,5}(?![\w/])")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{2,}")
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
_CODE = re.compile(r"`([^`\n]{1,200})`")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and for not with this that when then from are was has have had its but can cannot will would "
        "should does did doing get got give given into than there their them they what which where while "
        "why how who all any some you your our one two three about after before because been being only "
        "other over same such very more most also just like none true false null self return def class "
        "import else try except raise error errors expected actual bug issue fix fails failed failing "
        "wrong problem python line file traceback recent call last assert test tests",
    )
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a report points to. `line` is 0-based, None for a file as a whole; `why` is one short phrase."""

    path: str
    line: int | None
    why: str
    is_test: bool = False


def likely_places(report: str, reader: Reader, index: DefinitionIndex) -> tuple[Place, ...]:
    """Return at most `PLACES_AT_MOST` places, the best first; empty where nothing in the report points anywhere.

    Reads at most `FILES_AT_MOST` files and 24 MB. Blocks.
    """
    report = report[-_REPORT_CHARACTERS:]
    files = sorted({*workspace_files(reader.workspace, reader.rules), *reader.unignored_overlays})
    by_end = _ends(files)
    named = [*_tests(report, by_end, reader), *_frames(report, by_end), *_paths(report, by_end)]
    if len({place.path for place in named if not place.is_test}) < PLACES_AT_MOST:
        named += _by_words(report, files, reader, index)
    best: dict[tuple[str, bool], Place] = {}
    for place in named:
        best.setdefault((place.path, place.is_test), place)
    return tuple(best.values())[:PLACES_AT_MOST]


def place_of_test(test: str, reader: Reader) -> Place | None:
    """Return where a test like `tests/test_cart.py::TestTotal::test_empty[3]` is defined, or None."""
    path, _, names = test.partition("::")
    source = reader.related(path)
    if source is None:
        return None
    wanted = [part.partition("[")[0] for part in names.split("::") if part]
    symbols = symbols_of(path, source.text)
    inside: Symbol | None = None
    for name in wanted:
        inside = next(
            (
                symbol
                for symbol in symbols
                if symbol.name.rpartition(".")[2] == name
                and (inside is None or inside.start_line <= symbol.start_line <= inside.end_line)
            ),
            None,
        )
        if inside is None:
            return None
    line = None if inside is None else inside.header_end_line
    return Place(path, line, "the failing test", is_test=True)


def _ends(files: Sequence[str]) -> Mapping[str, list[str]]:
    """Return name → the files of that name."""
    found: dict[str, list[str]] = {}
    for path in files:
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def _known(name: str, by_end: Mapping[str, list[str]]) -> str | None:
    """Return the one file that a path means, of an absolute one the longest end that is there."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in {"", "."}]
    if not parts or ".." in parts:
        return None
    candidates = by_end.get(parts[-1], [])
    for start in range(len(parts)):
        end = "/".join(parts[start:])
        if end in candidates:
            return end
    # `cart.py` of a report, where there is one `src/shop/cart.py`.
    below = [path for path in candidates if path.endswith(f"/{'/'.join(parts)}")]
    return below[0] if len(below) == 1 else None


def _tests(report: str, by_end: Mapping[str, list[str]], reader: Reader) -> Iterable[Place]:
    for name, below in dict.fromkeys(_TEST_ID.findall(report)):
        path = _known(name, by_end)
        place = place_of_test(f"{path}{below}", reader) if path is not None else None
        if place is not None:
            yield place


def _frames(report: str, by_end: Mapping[str, list[str]]) -> list[Place]:
    found: list[Place] = []
    for match in _FRAME.finditer(report):
        path = _known(match[1] or match[3], by_end)
        if path is not None and language_of(path):
            line = max(0, int(match[2] or match[4]) - 1)
            found.append(Place(path, line, "in the traceback", is_test=test_file(path)))
    # A traceback ends with the innermost frame.
    return [place for place in reversed(found) if not place.is_test] + [
        place for place in reversed(found) if place.is_test
    ]


def _paths(report: str, by_end: Mapping[str, list[str]]) -> Iterable[Place]:
    for name in dict.fromkeys(_PATH.findall(report)):
        path = _known(name, by_end)
        if path is not None and language_of(path):
            yield Place(path, None, "named in the report", is_test=test_file(path))


def _by_words(report: str, files: Sequence[str], reader: Reader, index: DefinitionIndex) -> list[Place]:
    terms = _terms(report)
    view = index.refresh(reader.workspace, files, reader.unignored_overlays)
    names = _names(report)
    defining = {path: name for name in names for path in view.files_defining(name)[:8]}
    if not terms and not defining:
        return []
    counted, lengths, texts = _counted(terms, files, reader)
    scores = _bm25(terms, counted, lengths)
    for path in defining:
        if path in lengths:
            scores[path] = scores.get(path, 0.0) + _DEFINES
    ranked = sorted(
        (
            (score * (_OF_TESTS if test_file(path) else 1.0), path)
            for path, score in scores.items()
            if score > 0
        ),
        key=lambda item: (-item[0], item[1]),
    )
    found: list[Place] = []
    for _, path in ranked[:PLACES_AT_MOST]:
        why = f"defines {defining[path]}" if path in defining else "by its words"
        line = _best_line(path, texts[path].text, terms, defining.get(path))
        found.append(Place(path, line, why, is_test=test_file(path)))
    return [place for place in found if not place.is_test]


def _terms(report: str) -> dict[str, float]:
    """Return the parts of words that are looked for, with a weight: what stands in backticks counts twice."""
    weights: Counter[str] = Counter()
    for text, weight in ((report, 1), (" ".join(_CODE.findall(report)), 1)):
        for part in _PART.findall(text):
            term = _stem(part)
            if len(term) > 2 and not {term, part.lower()} & _COMMON:
                weights[term] += weight
    return {term: 1.0 + math.log(count) for term, count in weights.most_common(_TERMS_AT_MOST)}


def _stem(part: str) -> str:
    lowered = part.lower()
    return (
        lowered[:-1] if len(lowered) > 3 and lowered.endswith("s") and not lowered.endswith("ss") else lowered
    )


def _names(report: str) -> list[str]:
    """Return what looks like a name of code: with an underscore or a capital inside, called, or in backticks."""
    quoted = set(_NAME.findall(" ".join(_CODE.findall(report))))
    found: dict[str, None] = {}
    for match in _NAME.finditer(report):
        name = match.group()
        inner = "_" in name.strip("_") or any(letter.isupper() for letter in name[1:])
        called = report[match.end() : match.end() + 1] == "("
        if (inner or called or name in quoted) and name.lower() not in _COMMON:
            found[name] = None
    return list(found)[:_TERMS_AT_MOST]


def _counted(
    terms: Mapping[str, float], files: Sequence[str], reader: Reader
) -> tuple[dict[str, Counter[str]], dict[str, int], dict[str, SourceText]]:
    counted: dict[str, Counter[str]] = {}
    lengths: dict[str, int] = {}
    texts: dict[str, SourceText] = {}
    total = 0
    for path in files:
        if len(lengths) >= FILES_AT_MOST or total >= _TOTAL_BYTES:
            break
        if not language_of(path):
            continue
        source = reader.related(path, limit=_FILE_BYTES)
        if source is None:
            continue
        total += len(source.text)
        # The path says what a file is for, better than most of its lines.
        parts = [_stem(part) for part in _PART.findall(f"{path} {path} {path}\n{source.text}")]
        lengths[path] = len(parts)
        counts = Counter(part for part in parts if part in terms)
        if counts:
            counted[path] = counts
        texts[path] = source
    return counted, lengths, texts


def _bm25(
    terms: Mapping[str, float], counted: Mapping[str, Counter[str]], lengths: Mapping[str, int]
) -> dict[str, float]:
    total = max(1, len(lengths))
    average = max(1.0, sum(lengths.values()) / total)
    held = Counter(term for counts in counted.values() for term in counts)
    rarity = {term: math.log(1 + (total - held[term] + 0.5) / (held[term] + 0.5)) for term in held}
    return {
        path: sum(
            terms[term]
            * rarity[term]
            * count
            * (_K1 + 1)
            / (count + _K1 * (1 - _B + _B * lengths[path] / average))
            for term, count in counts.items()
        )
        for path, counts in counted.items()
    }


def _best_line(path: str, text: str, terms: Mapping[str, float], defined: str | None) -> int | None:
    """Return where to begin reading: the definition of the name that is mentioned, else the symbol with most terms."""
    symbols = symbols_of(path, text)
    if defined is not None:
        for symbol in symbols:
            if symbol.name.rpartition(".")[2] == defined:
                return symbol.start_line
    lines = split_lines(text)
    best, most = None, 0.0
    for symbol in symbols:
        inside = _PART.findall("".join(lines[symbol.start_line : symbol.end_line + 1]))
        # Per line at the end: a class holds everything that its one method with the fault holds.
        score = sum(terms.get(part, 0.0) for part in {_stem(part) for part in inside})
        score /= 1 + math.log(1 + symbol.end_line - symbol.start_line)
        if score > most:
            best, most = symbol.start_line, score
    return best
