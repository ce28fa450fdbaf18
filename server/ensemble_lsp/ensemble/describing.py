"""Writing a commit message that nobody has begun: the rules of a rewriting, other questions."""

import dataclasses

from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.ensemble.prompts.describing import DESCRIBING, message_form, short_message_form
from ensemble_lsp.ensemble.rewording import REWRITE
from ensemble_lsp.ensemble.undertaking import Asked

_STANDINGS = {
    (Standing.VERIFIED, False): "from the change alone",
    (Standing.VERIFIED, True): "from the change alone",
    (Standing.AGREED, False): "preferred by several families, from the change alone",
    (Standing.UNVERIFIED, False): "from the change alone",
}


def ask_message(asked: Asked) -> str:
    """Say how the message is to be written; the change stands in front of the members."""
    if asked.edit_format is EditFormat.WHOLE:
        return short_message_form(style=asked.style)
    return message_form(style=asked.style, sentinel=asked.sentinel)


DESCRIBE = dataclasses.replace(
    REWRITE, verb="Write", wording=DESCRIBING, standing_words=_STANDINGS, ask=ask_message
)
