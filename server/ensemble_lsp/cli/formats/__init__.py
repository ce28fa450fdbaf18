"""What a review prints for others than a person at a terminal: SARIF, GitHub's annotations, Markdown.

Each format is a function from a `Report` to text. None of them knows a network, a token or an exit status.
"""
