"""Whether a test file was changed in nothing but the names that it uses: then it still judges what it judged."""

import ast
import builtins
from typing import cast

_BUILTINS = frozenset(dir(builtins))
_IMPORTS = (ast.Import, ast.ImportFrom)


def only_names_changed(before: str, after: str) -> bool:
    """Say whether two Python texts differ in consistently renamed names, imports, comments and layout only.

    The names of tests, literals, operators and the order of statements are the same; a dotted name inside a
    string (`mock.patch("shop.cart.total")`) may follow the renaming. False when either text does not parse.
    """
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return _Renaming().alike(old, new)


class _Renaming:
    """One mapping of old names to new ones, the same all over the file."""

    def __init__(self) -> None:
        self._to: dict[str, str] = {}
        self._from: dict[str, str] = {}

    def alike(self, old: ast.AST, new: ast.AST) -> bool:
        """Compare two trees without recursion: code can be nested deeper than Python's stack."""
        pending: list[tuple[object, object]] = [(old, new)]
        strings: list[tuple[str, str]] = []
        while pending:
            one, other = pending.pop()
            if type(one) is not type(other):
                return False
            if isinstance(one, ast.AST) and isinstance(other, ast.AST):
                pairs = self._fields(one, other)
                if pairs is None:
                    return False
                pending += pairs
            elif isinstance(one, list) and isinstance(other, list):
                first = _without_imports(cast("list[object]", one))
                second = _without_imports(cast("list[object]", other))
                if len(first) != len(second):
                    return False
                pending += zip(first, second, strict=True)
            elif isinstance(one, str) and isinstance(other, str):
                strings.append((one, other))
            elif one != other:
                return False
        return all(self._same_text(one, other) for one, other in strings)

    def _fields(self, one: ast.AST, other: ast.AST) -> list[tuple[object, object]] | None:
        pairs: list[tuple[object, object]] = []
        for name in one._fields:
            old, new = getattr(one, name, None), getattr(other, name, None)
            if name in {"ctx", "type_comment", "kind"}:
                continue
            if name in {"id", "attr", "arg", "name", "asname"} and isinstance(old, str):
                if not isinstance(new, str) or not self._renamed(old, new):
                    return None
                if name == "name" and old.lower().startswith("test") and old != new:
                    return None
            elif name == "names" and isinstance(one, ast.Global | ast.Nonlocal):
                pass  # they only repeat names that are compared where they are used
            else:
                pairs.append((old, new))
        return pairs

    def _renamed(self, old: str, new: str) -> bool:
        if old != new and (old in _BUILTINS or new in _BUILTINS):
            return False
        # Both ways: two names that become one would let `a == b` become `a == a`.
        return self._to.setdefault(old, new) == new and self._from.setdefault(new, old) == old

    def _same_text(self, old: str, new: str) -> bool:
        if old == new:
            return True
        first, second = old.split("."), new.split(".")
        if not all(part.isidentifier() for part in (*first, *second)):
            return False
        # The last part is a name of the code; what is before it may have moved to another module.
        return len(first) > 1 and self._to.get(first[-1], first[-1]) == second[-1]


def _without_imports(items: list[object]) -> list[object]:
    return [item for item in items if not isinstance(item, _IMPORTS)]
