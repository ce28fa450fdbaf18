"""SQLite in the state directory: jobs, transcripts, spend, cache, outcomes. Must not know models or LSP."""
