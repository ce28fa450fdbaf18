"""One witness a module: a deterministic tool that says something about the code."""
