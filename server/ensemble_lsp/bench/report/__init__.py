"""The report of a run: one value that holds all figures, and its three forms: JSON, Markdown, one HTML page."""
