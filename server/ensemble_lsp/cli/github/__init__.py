"""What belongs to GitHub alone: its REST API, its events, and the two steps of the action in `action.yml`.

Run as `python -I -m ensemble_lsp.cli.github review|publish` by the action, never from a checked-out folder's Python.
"""
