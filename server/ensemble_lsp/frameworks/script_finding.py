"""Which of vitest and jest a JavaScript or TypeScript package uses, and how its tests look."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal, cast

from ensemble_lsp.ensemble.framework import NoFramework
from ensemble_lsp.frameworks.project import ProjectFiles
from ensemble_lsp.frameworks.script_exports import exported_by
from ensemble_lsp.frameworks.script_home import is_script_test, relative_source, script_home, stem_of
from ensemble_lsp.frameworks.script_imports import plain_source
from ensemble_lsp.frameworks.script_tests import ScriptStyle, ScriptTests, grammar_of

_Name = Literal["vitest", "jest"]
_NAMES: tuple[_Name, ...] = ("vitest", "jest")
_OTHERS = ("mocha", "ava", "jasmine", "tap", "@playwright/test", "cypress", "karma", "qunit", "uvu")
_DEPENDENCIES = ("devDependencies", "dependencies", "peerDependencies", "optionalDependencies")
_FROM = re.compile(r"""\bfrom\s*(['"])([^'"\n]+)\1\s*(;?)|\brequire\(\s*(['"])([^'"\n]+)\4\s*\)(;?)""")
_EXPORTS = re.compile(r"^\s*(?:module\.)?exports\b", re.MULTILINE)
_GLOBALS = re.compile(r"\bglobals\s*:\s*true")
_NODE_RESOLUTION = re.compile(r'"module(?:Resolution)?"\s*:\s*"node(?:16|18|20|next)"', re.IGNORECASE)


def find_script(project: ProjectFiles) -> ScriptTests | NoFramework:
    """Return the framework by the nearest package.json or configuration, else by what the existing tests import."""
    packages = [folder for folder in project.folders_above() if f"{folder}package.json" in project.files]
    tests = [test for test in project.files if is_script_test(test)]
    if not packages:
        return NoFramework(
            f"no package.json stands above {project.path}, so no test framework is known for it",
            "Make one with `npm init`, and `npm install --save-dev vitest`.",
        )
    inside = [test for test in tests if test.startswith(packages[0]) and test != project.path]
    near = project.nearest(inside)
    name = _imported_by(project, near)
    for folder in packages:
        name = name or _used_in(project, folder)
    if name is None:
        return _none(project, packages)
    home = script_home(project, packages[0], inside)
    examples = tuple(project.nearest((test for test in inside if test != home), to=home))
    shown = [project.read(test) for test in ((home,) if home in project.files else examples)]
    suffix = PurePosixPath(project.path).suffix
    stem = stem_of(project.path)
    return ScriptTests(
        name,
        home,
        project.path,
        _source(project, home, shown, packages),
        _style(project, name, shown, packages, typed="ts" in suffix),
        examples,
        frozenset(
            plain_source(file)
            for file in project.files
            if file != project.path and PurePosixPath(plain_source(file)).name == stem
        ),
        exported_by(grammar_of(project.path), project.read(project.path)),
    )


def _imported_by(project: ProjectFiles, tests: Sequence[str]) -> _Name | None:
    votes: Counter[_Name] = Counter()
    for test in tests:
        sources = {match[1] or match[4] for match in _FROM.findall(project.read(test))}
        votes.update(name for name in _NAMES if sources & {name, f"@{name}/globals"})
    return votes.most_common(1)[0][0] if votes else None


def _used_in(project: ProjectFiles, folder: str) -> _Name | None:
    """Return what a package's scripts call, else what it depends on, else what it has a configuration for."""
    package = package_of(project, folder)
    scripts = " ".join(_texts(package.get("scripts")).values())
    depends = {name for key in _DEPENDENCIES for name in _texts(package.get(key))}
    called: list[_Name] = [name for name in _NAMES if re.search(rf"(?<![\w@/-]){name}\b", scripts)]
    named: list[_Name] = [name for name in _NAMES if name in depends or name in package]
    configured: list[_Name] = [
        name for name in _NAMES for end in _CONFIGURATIONS if f"{folder}{name}.config.{end}" in project.files
    ]
    return next(iter((*called, *named, *configured)), None)


_CONFIGURATIONS = ("ts", "mts", "cts", "js", "mjs", "cjs", "json")


def _none(project: ProjectFiles, packages: Sequence[str]) -> NoFramework:
    folder = packages[0]
    package = package_of(project, folder)
    depends = {name for key in _DEPENDENCIES for name in _texts(package.get(key))}
    others = [name for name in _OTHERS if name in depends]
    if "node --test" in " ".join(_texts(package.get("scripts")).values()):
        others.append("node:test")
    where = f"{folder}package.json"
    if others:
        return NoFramework(
            f"{where} uses {others[0]}, and tests are written for vitest and jest",
            f"To try vitest beside it: `npm install --save-dev vitest` in {folder or 'the root'}.",
        )
    return NoFramework(
        f"{where} names no test framework (vitest or jest)",
        f"Install one in {folder or 'the root'}: `npm install --save-dev vitest`.",
    )


def _source(project: ProjectFiles, home: str, shown: Sequence[str], packages: Sequence[str]) -> str:
    """Return what tests import the code from, with or without an extension as others here do."""
    whole = relative_source(home, project.path)
    relatives = [source for text in shown for _, source in _sources(text) if source.startswith(".")]
    suffix = PurePosixPath(project.path).suffix
    if relatives:
        ends = Counter(PurePosixPath(source).suffix for source in relatives)
        most = ends.most_common(1)[0][0]
        if most == suffix:
            return whole
        return plain_source(whole) + (most if most in {".js", ".mjs", ".cjs", ".jsx"} else "")
    if suffix in {".mjs", ".cjs"}:
        return whole
    module = any(package_of(project, folder).get("type") == "module" for folder in packages[:1])
    configuration = next(
        (text for folder in packages if (text := project.read(f"{folder}tsconfig.json"))), ""
    )
    if "ts" in suffix:
        strict = _NODE_RESOLUTION.search(configuration) is not None
        return plain_source(whole) + (".js" if strict else "")
    return whole if module else plain_source(whole)


def _style(
    project: ProjectFiles, name: _Name, shown: Sequence[str], packages: Sequence[str], *, typed: bool
) -> ScriptStyle:
    marks = [mark for text in shown for mark, _ in _sources(text)]
    quotes = Counter(mark[0] for mark in marks)
    ends = Counter(mark[1:] for mark in marks)
    written = "\n".join(shown)
    code = project.read(project.path)
    if shown and marks:
        required = sum("require(" in text for text in shown) * 2 > len(shown) and "import " not in written
        own = any(source in {name, f"@{name}/globals"} for text in shown for _, source in _sources(text))
    else:
        required = name == "jest" and not typed and bool(_EXPORTS.search(code))
        settings = "".join(
            project.read(f"{folder}{base}.config.{end}")
            for folder in packages
            for base in ("vitest", "vite")
            for end in _CONFIGURATIONS
        )
        own = name == "vitest" and not _GLOBALS.search(settings)
    tests = len(re.findall(r"^\s*test(?:\.\w+)*\(", written, re.MULTILINE))
    its = len(re.findall(r"^\s*it(?:\.\w+)*\(", written, re.MULTILINE))
    return ScriptStyle(
        required=required,
        global_words=not own,
        quote=quotes.most_common(1)[0][0] if quotes else '"',
        end=ends.most_common(1)[0][0] if ends else ";",
        suites=not (tests + its) or "describe(" in written,
        word="test" if tests > its else "it",
    )


def _sources(text: str) -> list[tuple[str, str]]:
    """Return (quote and semicolon, source) of each import."""
    return [
        (f"{match[0] or match[3]}{match[2] if match[0] else match[5]}", match[1] or match[4])
        for match in _FROM.findall(text)
    ]


def package_of(project: ProjectFiles, folder: str) -> dict[str, object]:
    """Return a package.json's content, empty for one that cannot be read."""
    try:
        data = cast("object", json.loads(project.read(f"{folder}package.json")))
    except ValueError:
        return {}
    return cast("dict[str, object]", data) if isinstance(data, dict) else {}


def _texts(table: object) -> dict[str, str]:
    entries = cast("dict[str, object]", table) if isinstance(table, dict) else {}
    return {name: value for name, value in entries.items() if isinstance(value, str)}
