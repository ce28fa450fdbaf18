"""What is taken out of the words of a tool before anybody reads them."""

from ensemble_lsp.checks.site import without_addresses


def test_the_same_failure_was_another_prompt_each_time_for_where_an_object_lay() -> None:
    first = "E   +  where None = <function largest_divisor at 0x7f5745fcd300>(3)"
    second = "E   +  where None = <function largest_divisor at 0x7f81ee7d9300>(3)"
    assert without_addresses(first) == without_addresses(second)


def test_numbers_that_a_program_computes_stay() -> None:
    assert without_addresses("assert 0xdeadbeef == 0x10") == "assert 0xdeadbeef == 0x10"
