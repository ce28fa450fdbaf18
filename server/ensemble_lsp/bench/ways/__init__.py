"""The ways of answering that a benchmark compares: the same cases, prompts, checks and budgets for each."""
