"""One file per LSP method."""
