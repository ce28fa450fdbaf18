"""Files of Go's tests: taken apart, put together, and what their failures say."""

import pytest

from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.ensemble.framework import TestModule, Unit
from ensemble_lsp.frameworks.go_tests import GoTests

GO = GoTests("cart/cart_test.go", "cart/cart.go", "cart", taken=frozenset({"TestPay", "help"}))
TEST = "func TestA(t *testing.T) {\n\tt.Log(Total(nil))\n}\n"


def composed(existing: str, *answers: str) -> str:
    """Return the file with every test of the answers, as they come one after the other."""
    taken = GO.names_in(existing)
    chosen: list[tuple[TestModule, tuple[Unit, ...]]] = []
    for answer in answers:
        module = GO.read(answer)
        assert isinstance(module, TestModule), module
        module = GO.renamed(module, taken)
        taken |= GO.names_of(module)
        chosen.append((module, module.units))
    return GO.composed(existing, chosen)


def answer(*imports: str, body: str = TEST) -> str:
    lines = "".join(f"\t{item}\n" for item in imports)
    return f"package cart\n\nimport (\n{lines})\n\n{body}"


def test_a_new_file_has_the_imports_that_are_used():
    body = TEST.replace("nil", "errors.New(x.Y), cmp.Diff(foo.Z{})")
    imports = ('"testing"', '"errors"', '"fmt"', 'x "example.org/other"', '"github.com/google/go-cmp/cmp"')
    text = composed("", answer(*imports, '"gopkg.in/foo.v2"', '_ "embed"', body=body))

    assert text == (
        "package cart\n\nimport (\n"
        '\t_ "embed"\n\t"errors"\n\t"testing"\n\n'
        '\tx "example.org/other"\n\t"github.com/google/go-cmp/cmp"\n\t"gopkg.in/foo.v2"\n)\n\n' + body
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('import "testing"\n', 'import (\n\t"errors"\n\t"testing"\n\n\t"example.org/x"\n)\n'),
        (
            'import (\n\t"fmt"\n\t"testing" // ours\n)\n',
            'import (\n\t"errors"\n\t"fmt"\n\t"testing" // ours\n\n\t"example.org/x"\n)\n',
        ),
        (
            'import (\n\t"testing"\n\n\t"example.org/a"\n\t"example.org/z"\n)\n',
            'import (\n\t"errors"\n\t"testing"\n\n\t"example.org/a"\n\t"example.org/x"\n\t"example.org/z"\n)\n',
        ),
        ('import (\n\t"example.org/x"\n)\n', 'import (\n\t"errors"\n\t"testing"\n\n\t"example.org/x"\n)\n'),
        ("", 'import (\n\t"errors"\n\t"testing"\n\n\t"example.org/x"\n)\n'),
    ],
)
def test_imports_go_among_those_that_are_there(before: str, after: str):
    body = TEST.replace("nil", "errors.New(x.Y)")
    existing = f"package cart\n\n{before}\nfunc TestB(t *testing.T) {{}}\n"
    text = composed(existing, answer('"testing"', '"errors"', '"example.org/x"', body=body))

    assert (
        text == existing.replace(before or "cart\n", after if before else f"cart\n\n{after}", 1) + f"\n{body}"
    )


def test_names_of_the_whole_package_are_taken():
    help_again = "func help() {}\n\n"
    text = composed("", answer('"testing"', body=help_again + TEST.replace("TestA", "TestPay")))

    assert "func TestPay2(t *testing.T)" in text
    assert "func help()" not in text


def test_comments_belong_to_what_is_below_them():
    body = f"// Far above.\n\n// A says so.\n// Twice.\n{TEST}\n// h helps.\nfunc h() {{}}\n\nfunc (a T) M() {{}}\n"
    module = GO.read(answer('"testing"', body=body))

    assert isinstance(module, TestModule)
    assert module.units == (Unit("TestA", f"// A says so.\n// Twice.\n{TEST}".rstrip()),)
    assert [name for name, _ in module.shared] == ["h", ""]


BENCHMARK = "package cart\n\nfunc BenchmarkA(b *testing.B) {}\nfunc TestMain(m *testing.M) {}\n"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("package cart\n\nfunc TestA(t *testing.T) {\n", "it does not parse"),
        (BENCHMARK, "there is no test in it"),
        ("package cart_test\n\n" + TEST, "it is package cart_test, and the tests here are package cart"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_apart(code: str, why: str):
    problem = GO.read(code)

    assert isinstance(problem, str)
    assert problem.startswith(why)


def test_a_failing_case_of_a_table_is_the_tests():
    ran = {"cart/cart_test.go::TestA/x": Outcome.FAILED, "cart/cart_test.go::TestA": Outcome.FAILED}

    assert GO.by_unit(ran, [Unit("TestA", "")]) == {"TestA": Outcome.FAILED}
    assert GO.same_test(Unit("TestA", TEST)) == GO.same_test(Unit("TestB", TEST.replace("TestA", "TestB")))


IN_TEST = "m/cart.TestA\n\tcart/cart_test.go:9"
IN_CODE = f"m/cart.Total\n\tcart/cart.go:3\n{IN_TEST}"
TESTIFY = "    cart_test.go:9: \n\tError:      \tNot equal: \n\t\texpected: 3\n\t\tactual  : 4"


@pytest.mark.parametrize(
    ("printed", "essence", "broken"),
    [
        ("    cart_test.go:9: Total = 1, want 2", "Total = 1, want 2", False),
        (f"panic: nil map\n\n{IN_CODE}", "panic: nil map", False),
        (f"panic: nil map\n\n{IN_TEST}", "panic: nil map", True),
        (TESTIFY, "expected 3, actual 4", False),
    ],
)  # fmt: skip
def test_what_a_failure_says(printed: str, essence: str, broken: bool):
    log = f"--- FAIL: TestB\nno\n--- FAIL: TestA\n{printed}\n"
    failure = GO.failure_of(log, Unit("TestA", ""))

    assert failure == printed.strip()
    assert GO.essence(failure) == essence
    assert GO.is_broken(failure) is broken
