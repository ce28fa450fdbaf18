"""What is taken out of the words of a tool before anybody reads them."""

from ensemble_lsp.checks.site import without_addresses, without_times


def test_the_same_failure_was_another_prompt_each_time_for_where_an_object_lay() -> None:
    first = "E   +  where None = <function largest_divisor at 0x7f5745fcd300>(3)"
    second = "E   +  where None = <function largest_divisor at 0x7f81ee7d9300>(3)"
    assert without_addresses(first) == without_addresses(second)


def test_numbers_that_a_program_computes_stay() -> None:
    assert without_addresses("assert 0xdeadbeef == 0x10") == "assert 0xdeadbeef == 0x10"


def test_the_same_failure_is_the_same_text_however_long_it_took() -> None:
    assert (
        without_times("1 failed in 0.12s") == without_times("1 failed in 75.40s (0:01:15)") == "1 failed in …"
    )


def test_seconds_in_an_assertion_stay() -> None:
    assert without_times("assert '0.50s' in lines") == "assert '0.50s' in lines"
