"""Numbers of things as a person reads them."""


def counted(count: int, noun: str) -> str:
    """Return "1 finding" or "3 findings", thousands apart; for nouns that take an s."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
