"""Elements of HTML and SVG: the only place where text becomes markup, and where it is escaped."""

import html
from collections.abc import Iterable
from typing import NewType

from ensemble_lsp.core.markdown import visible

Markup = NewType("Markup", str)
"""Text that is markup already."""

_VOID = frozenset({"meta", "input", "line", "circle", "rect", "path", "wbr"})


def element(name: str, /, *children: Markup, **attributes: str | float | bool | None) -> Markup:
    """Return an element; its attributes are escaped, its children are markup already.

    Of an attribute's name a trailing underscore is dropped, others are hyphens. True is an attribute without a
    value, False and None are none at all.
    """
    given = "".join(
        f" {_attribute(key)}" + ("" if value is True else f'="{_escaped(_plain(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>" if name in {"meta", "input", "wbr"} else f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{''.join(children)}</{name}>")


def text(words: str) -> Markup:
    """Return text, escaped, without characters that are invisible or turn its order round."""
    return Markup(_escaped(words))


def join(parts: Iterable[Markup]) -> Markup:
    """Return markup one behind the other."""
    return Markup("".join(parts))


def _escaped(words: str) -> str:
    return html.escape(visible(words), quote=True)


def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
