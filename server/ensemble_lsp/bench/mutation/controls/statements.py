"""Other ways to write statements: the same done in another order, with another name, in another layout."""

import ast
from collections import Counter
from collections.abc import Iterator

from ensemble_lsp.bench.mutation.controls.preserving import Edits, Preserving, is_plain, negated
from ensemble_lsp.bench.mutation.functions import Function
from ensemble_lsp.bench.mutation.layout import block_lines, indent_of, own_lines, reindented
from ensemble_lsp.bench.mutation.source import Edit, Source, has_comment
from ensemble_lsp.core.text import line_ending_of

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


def _swapped_branches(source: Source, function: Function) -> Iterator[Edits]:
    """`if c: A else: B` became `if not c: B else: A`."""
    for node in function.nodes:
        if not isinstance(node, ast.If) or not node.orelse or _continues_elif(source, node):
            continue
        body, other = block_lines(source, node.body), block_lines(source, node.orelse)
        if body is None or other is None or source.text[body[1] : other[0]].strip() != "else:":
            continue
        if indent_of(source, node.body[0]) != indent_of(source, node.orelse[0]) or has_comment(
            source.of(node.test)
        ):
            continue
        first, second = source.text[slice(*body)], source.text[slice(*other)]
        if second.endswith(("\n", "\r")):
            yield (
                source.replaced(node.test, negated(source, node.test), "negated"),
                Edit(*body, second, "branches swapped"),
                Edit(*other, first, "branches swapped"),
            )


def _continues_elif(source: Source, node: ast.If) -> bool:
    """Whether it is an `elif`, or has one."""
    if source.text.startswith("elif", source.start(node)):
        return True
    return len(node.orelse) == 1 and source.text.startswith("elif", source.start(node.orelse[0]))


def _else_dropped(source: Source, function: Function) -> Iterator[Edits]:
    """What stands after `else:` follows the `if`, which leaves anyway."""
    for node in function.nodes:
        if not isinstance(node, ast.If) or not node.orelse or not isinstance(node.body[-1], _LEAVES):
            continue
        body, other = block_lines(source, node.body), block_lines(source, node.orelse)
        if _continues_elif(source, node) or body is None or other is None:
            continue
        text = reindented(source, node.orelse, indent_of(source, node))
        if text is not None and source.text[body[1] : other[0]].strip() == "else:":
            yield (Edit(body[1], other[1], text, "else dropped"),)


def _split_condition(source: Source, function: Function) -> Iterator[Edits]:
    """`if a and b:` became `if a:` with `if b:` in it."""
    for node in function.nodes:
        if not isinstance(node, ast.If) or node.orelse or not isinstance(node.test, ast.BoolOp):
            continue
        values = node.test.values
        head = source.text[source.start(node) : source.start(node.body[0])]
        body = block_lines(source, node.body)
        if not isinstance(node.test.op, ast.And) or len(values) != 2 or body is None:
            continue
        outer, inner = indent_of(source, node), indent_of(source, node.body[0])
        step = inner[len(outer) :]
        text = reindented(source, node.body, inner + step)
        first, second = source.of(values[0]), source.of(values[1])
        if text is None or not inner.startswith(outer) or head.strip() != f"if {first} and {second}:":
            continue
        ending = line_ending_of(source.text)
        now = f"{outer}if {first}:{ending}{inner}if {second}:{ending}{text}"
        yield (Edit(source.line_start(node.lineno - 1), body[1], now, "condition split"),)


def _named_result(source: Source, function: Function) -> Iterator[Edits]:
    """`return E` became `result = E` and `return result`."""
    name = next((name for name in ("result", "value", "outcome") if name not in _names(function.node)), None)
    for node in function.nodes:
        if not isinstance(node, ast.Return) or node.value is None or name is None:
            continue
        lines = own_lines(source, node)
        if lines is None or isinstance(node.value, ast.Name | ast.Constant) or has_comment(source.of(node)):
            continue
        end = source.end(node)
        ending = line_ending_of(source.text)
        value = source.text[source.start(node.value) : source.end(node.value)]
        if (
            source.text[source.start(node) : end] == f"return {value}"
            and not source.text[end : lines[1]].strip()
        ):
            yield (
                Edit(
                    source.start(node),
                    end,
                    f"{name} = {value}{ending}{indent_of(source, node)}return {name}",
                    "named",
                ),
            )


def _inlined_result(source: Source, function: Function) -> Iterator[Edits]:
    """`x = E` and `return x` became `return E`."""
    uses = Counter(node.id for node in ast.walk(function.node) if isinstance(node, ast.Name))
    for node in function.nodes:
        if (
            not isinstance(node, ast.Return)
            or not isinstance(node.value, ast.Name)
            or uses[node.value.id] != 2
        ):
            continue
        block = function.body_of(node)
        place = block.index(node)
        before = block[place - 1] if place else None
        if (
            isinstance(before, ast.Assign)
            and len(before.targets) == 1
            and isinstance(before.targets[0], ast.Name)
            and before.targets[0].id == node.value.id
            and not _declares(function)
        ):
            start, end = source.start(before), source.start(before.value)
            gap = source.text[source.end(before) : source.start(node)]
            if not gap.strip() and source.text[start:end].replace(" ", "") == f"{node.value.id}=":
                yield (
                    Edit(start, end, "return ", "inlined"),
                    Edit(source.end(before), source.end(node), "", "inlined"),
                )


def _renamed(source: Source, function: Function) -> Iterator[Edits]:
    """A local variable has another name."""
    if _declares(function) or _names(function.node) & {"locals", "eval", "exec", "vars", "dir"}:
        return
    in_strings = {
        name.id
        for node in ast.walk(function.node)
        if isinstance(node, ast.JoinedStr)
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    }
    inner = _names_of_inner_scopes(function)
    everywhere = _all_words(source)
    assigned = dict.fromkeys(
        node.id
        for node in function.nodes
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and isinstance(function.parents.get(node), ast.Assign | ast.For | ast.AnnAssign)
    )
    taken = _names(function.node.args)
    for outside in (*function.node.decorator_list, function.node.returns):
        taken |= _names(outside) if outside is not None else set()
    for name in assigned:
        now = _other_name(name, everywhere)
        if name in in_strings | inner | taken or now is None or not name.isascii():
            continue
        yield tuple(
            source.replaced(node, now, f"`{name}` became `{now}`")
            for node in ast.walk(function.node)
            if isinstance(node, ast.Name) and node.id == name
        )


_SYNONYMS = {
    "i": ("index", "position"),
    "j": ("other", "inner"),
    "n": ("count", "number"),
    "x": ("item", "entry"),
    "result": ("outcome", "answer"),
    "results": ("outcomes", "answers"),
    "found": ("matches", "hits"),
    "total": ("overall", "amount"),
    "count": ("number", "tally"),
    "text": ("content", "written"),
    "line": ("row", "current_line"),
    "lines": ("rows", "all_lines"),
    "data": ("payload", "content"),
    "value": ("current", "content"),
    "name": ("label", "title"),
    "path": ("location", "place"),
    "key": ("identifier", "label"),
}


def _other_name(name: str, taken: set[str]) -> str | None:
    candidates = (*_SYNONYMS.get(name, ()), f"current_{name}", f"{name}_so_far", f"this_{name}")
    return next((item for item in candidates if item not in taken), None)


def _all_words(source: Source) -> set[str]:
    words: set[str] = set()
    for node in ast.walk(source.tree):
        for field in ("id", "arg", "attr", "name", "asname"):
            word: object = getattr(node, field, None)
            if isinstance(word, str):
                words.add(word)
    return words


def _names(node: ast.AST) -> set[str]:
    found = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
    return found | {item.arg for item in ast.walk(node) if isinstance(item, ast.arg)}


def _names_of_inner_scopes(function: Function) -> set[str]:
    """Return names that mean something of their own somewhere inside, or are bound in ways without a place."""
    found: set[str] = set()
    for node in ast.walk(function.node):
        if node is function.node:
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            found |= _names(node)
        elif isinstance(node, ast.comprehension):
            found |= _names(node.target)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
    return found


def _declares(function: Function) -> bool:
    return any(isinstance(node, ast.Global | ast.Nonlocal) for node in ast.walk(function.node))


def _reordered(source: Source, function: Function) -> Iterator[Edits]:
    """Two assignments that do not know of each other changed places."""
    for node in function.nodes:
        if not isinstance(node, ast.Assign) or not _is_independent(node):
            continue
        block = function.body_of(node)
        place = block.index(node)
        after = block[place + 1] if place + 1 < len(block) else None
        if not isinstance(after, ast.Assign) or not _is_independent(after) or _names(node) & _names(after):
            continue
        one, other = own_lines(source, node), own_lines(source, after)
        if one is not None and other is not None and one[1] == other[0]:
            yield (
                source.replaced(node, source.of(after), "moved"),
                source.replaced(after, source.of(node), "moved"),
            )


def _is_independent(node: ast.Assign) -> bool:
    value = node.value
    empty = isinstance(value, ast.List | ast.Tuple) and not value.elts
    empty = empty or (isinstance(value, ast.Dict) and not value.keys)
    return all(isinstance(target, ast.Name) for target in node.targets) and (empty or is_plain(value))


def _written_out(source: Source, function: Function) -> Iterator[Edits]:
    """`x += 1` became `x = x + 1`, and the other way: with numbers there is no difference."""
    for node in function.nodes:
        if isinstance(node, ast.AugAssign) and type(node.op) in _OPERATORS and _is_number(node.value):
            if isinstance(node.target, ast.Name):
                name, symbol = source.of(node.target), _OPERATORS[type(node.op)]
                text = f"{name} = {name} {symbol} {source.of(node.value)}"
                yield (source.replaced(node, text, "written out"),)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if (
                isinstance(target, ast.Name)
                and isinstance(value.left, ast.Name)
                and value.left.id == target.id
                and type(value.op) in _OPERATORS
                and _is_number(value.right)
            ):
                text = f"{target.id} {_OPERATORS[type(value.op)]}= {source.of(value.right)}"
                yield (source.replaced(node, text, "accumulated"),)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in {int, float}


CHANGES = (
    Preserving("branches swapped", _swapped_branches),
    Preserving("else dropped", _else_dropped),
    Preserving("condition split", _split_condition),
    Preserving("result named", _named_result),
    Preserving("result inlined", _inlined_result),
    Preserving("local renamed", _renamed),
    Preserving("assignments reordered", _reordered),
    Preserving("accumulation written out", _written_out),
)
