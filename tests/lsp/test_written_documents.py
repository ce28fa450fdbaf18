"""Documents as files, for editors that know no virtual ones."""

from ensemble_lsp.lsp.shown_documents import write_document


def test_half_of_a_surrogate_pair_in_an_answer_kept_its_document_from_being_shown() -> None:
    path = write_document("Explain cart.py", "It prints \ud83d and \udce9.\n", ".md")

    assert path.read_bytes() == b"It prints \xef\xbf\xbd and \xe9.\n"
    assert write_document("Explain cart.py", "It prints \ud83d and \udce9.\n", ".md") == path
