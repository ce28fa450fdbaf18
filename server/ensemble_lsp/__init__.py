"""Ensemble LSP: a panel of different models on one problem, settled by evidence, shown as a diff."""

__version__ = "0.1.0"
