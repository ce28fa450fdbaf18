"""A patch on a stream that another program reads: every byte as it is, where there are bytes for it."""

import io

from rich.console import Console

from ensemble_lsp.cli.render import print_diff


def printed(diff: str) -> bytes:
    stream = io.BytesIO()
    file = io.TextIOWrapper(stream, encoding="utf-8", write_through=True)
    print_diff(diff, Console(file=file))
    return stream.getvalue()


def test_bytes_that_are_no_text_are_printed_as_they_were() -> None:
    assert printed("-a = '\udce9'\n+a = 'é'\n") == b"-a = '\xe9'\n+a = '\xc3\xa9'\n"


def test_half_of_a_surrogate_pair_ended_the_command_that_printed_it() -> None:
    assert printed("-a = '\ud83d'\n+a = ''\n") == "-a = '\ufffd'\n+a = ''\n".encode()
