"""The one error of this layer that clients tell apart: the text is not what the request speaks of any more."""

from ensemble_lsp.core.errors import UsageError


class MovedOn(UsageError):
    """A document changed where an edit was to go; answered as LSP's `ContentModified`."""
