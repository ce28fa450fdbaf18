"""Text, edits, hunks, findings, candidates, proposals, budget arithmetic, events and errors.

Pure functions and frozen models. Must not know files, the network, LSP, litellm or clocks.
"""
