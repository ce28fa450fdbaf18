"""The terminal: commands, the live view, rendering. Must not know LSP."""
