"""Composition root: wires the layers below to the deliberation and runs jobs. Must not know LSP."""
