"""Which lines of a Python text hold code: not blank ones, comments, or strings that stand for themselves."""

import io
import tokenize

from ensemble_lsp.core.text import split_lines

_SPACING = frozenset(
    {
        *(tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT),
        *(tokenize.ENCODING, tokenize.ENDMARKER),
    }
)


def code_lines(text: str) -> frozenset[int]:
    """Return the lines (0-based) on which code begins or goes on; where the text cannot be read, all but blank ones."""
    found: set[int] = set()
    statement: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE:
                if any(part.type != tokenize.STRING for part in statement):
                    found.update(part.start[0] - 1 for part in statement)
                statement = []
            elif token.type not in _SPACING:
                statement.append(token)
    except (tokenize.TokenError, SyntaxError):
        return frozenset(number for number, line in enumerate(split_lines(text)) if line.strip())
    return frozenset(found)
