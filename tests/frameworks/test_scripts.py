"""Files of vitest's and jest's tests: taken apart, put together, and matched with what ran."""

from dataclasses import replace

import pytest

from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.ensemble.framework import TestModule, Unit, module_in
from ensemble_lsp.frameworks.script_exports import Exported, exported_by
from ensemble_lsp.frameworks.script_tests import ScriptStyle, ScriptTests

VITEST = ScriptTests("vitest", "src/cart.test.ts", "src/cart.ts", "./cart", ScriptStyle())
JEST = ScriptTests(
    "jest",
    "test/cart.test.js",
    "lib/cart.js",
    "../lib/cart",
    ScriptStyle(required=True, global_words=True, quote="'"),
)
PLAIN = "it('is a sum', () => {\n  expect(total([1])).toBe(1);\n});\n"


def read(framework: ScriptTests, code: str) -> TestModule:
    module = framework.read(code)
    assert isinstance(module, TestModule), module
    return module


def composed(framework: ScriptTests, existing: str, *answers: str) -> str:
    """Return the file with every test of the answers, as they come one after the other."""
    taken = framework.names_in(existing)
    chosen: list[tuple[TestModule, tuple[Unit, ...]]] = []
    for answer in answers:
        module = framework.renamed(read(framework, answer), taken)
        taken |= framework.names_of(module)
        chosen.append((module, module.units))
    return framework.composed(existing, chosen)


def test_suites_and_tests_and_what_they_share():
    code = """\
import { total } from "./cart";
const MANY = [1];
describe("total", () => {
  beforeEach(() => {});
  // Nothing.
  it("a", () => {});
  describe("of many", () => {
    test.each([[1]])("is %i", (n) => {});
  });
  it.skip("b", () => {});
  it.only("c", async () => {});
  it("d", () => { expect(total([])).toMatchSnapshot(); });
});
"""
    module = read(VITEST, code)

    assert [unit.id_in for unit in module.units] == ["total::a", "total > of many::is %i", "total::c"]
    assert module.units[0].text == '  // Nothing.\n  it("a", () => {});'
    assert module.units[2].text == '  it("c", async () => {});'
    assert module.shared == (("MANY", "const MANY = [1];"),)
    assert [(group.name, group.inside, group.shared) for group in module.groups] == [
        ("total", "", "  beforeEach(() => {});"),
        ("total > of many", "total", ""),
    ]


@pytest.mark.parametrize(
    ("code", "why"),
    [("it('a', () => {\n", "it does not parse: line 1"), ("const a = 1;\n", "there is no test in it")],
)
def test_what_cannot_be_taken_apart(code: str, why: str):
    assert VITEST.read(code) == why


def test_a_new_file_imports_what_it_uses_and_nothing_else():
    answer = (
        'import { describe, vi } from "vitest";\n'
        'import { total, other } from "../cart.js";\n'
        'import fs from "node:fs";\n'
        "import type { Price } from './cart';\n\n"
        f"const prices: Price[] = [];\n\n{PLAIN}"
    )
    assert composed(VITEST, "", answer) == (
        'import { expect, it } from "vitest";\n'
        'import { total } from "./cart";\n'
        'import type { Price } from "./cart";\n\n'
        f"const prices: Price[] = [];\n\n{PLAIN}"
    )


@pytest.mark.parametrize(
    ("code", "values", "types"),
    [
        ("export function a() {}\nexport const b = 1;\nexport type C = 1;\nfunction d() {}\n", "ab", "C"),
        ("function a() {}\nexport { a, a as b };\nexport default a;\n", "ab", ""),
        ("export default function c() {}\n", "", ""),
        ("module.exports = { a, b: 1, c() {} };\nexports.d = 1;\nmodule.exports.e = 2;\n", "abcde", ""),
        ("export class A {}\nexport interface B {}\nexport * from './b';\n", "A", "B"),
    ],
)
def test_what_a_file_exports(code: str, values: str, types: str):
    assert exported_by("typescript", code) == Exported(frozenset(values), frozenset(types))


def test_a_forgotten_import_of_the_code_is_written():
    framework = replace(VITEST, exported=Exported(frozenset({"total", "limit", "other"}), frozenset({"P"})))
    body = (
        "it('a', () => {\n  const limit: P = total([1], (other) => other);\n  expect(limit).toBe(1);\n});\n"
    )

    assert composed(framework, "", body) == (
        'import { expect, it } from "vitest";\nimport { total } from "./cart";\n'
        f'import type {{ P }} from "./cart";\n\n{body}'
    )


def test_an_import_of_another_file_of_the_same_name_stays():
    framework = ScriptTests(
        "vitest", "src/cart.test.ts", "src/cart.ts", "./cart", ScriptStyle(), (), frozenset({"lib/cart"})
    )
    assert 'from "../lib/cart"' in composed(framework, "", f"import {{ total }} from '../lib/cart';\n{PLAIN}")


def test_names_go_among_the_imports_that_are_there():
    existing = """\
// Prices.
import { expect, it } from "vitest";
import {
  total,
} from "./cart";

it("one", () => {});
"""
    answer = (
        'import { total, limit as most } from "./cart";\n\n'
        'beforeEach(() => {});\nit("two", () => { most(total); });\n'
    )
    assert (
        composed(VITEST, existing, answer)
        == """\
// Prices.
import { expect, it, beforeEach } from "vitest";
import {
  total, limit as most,
} from "./cart";

it("one", () => {});

beforeEach(() => {});

it("two", () => { most(total); });
"""
    )


def test_a_common_js_file_requires():
    answer = (
        "import { total as sum } from './cart';\nimport fs from 'fs';\n\ntest('a', () => { sum(fs); });\n"
    )
    assert composed(JEST, "", answer) == (
        "const { total: sum } = require('../lib/cart');\nconst fs = require('fs');\n\ntest('a', () => { sum(fs); });\n"
    )


def test_a_suite_of_the_file_takes_new_tests_in_unless_it_has_hooks():
    answer = 'describe("total", () => {\n  it("b", () => {});\n});\n'
    plain = 'import { describe, it } from "vitest";\n\ndescribe("total", () => {\n  it("a", () => {});\n});\n'
    hooked = plain.replace('  it("a"', '  let sum;\n  it("a"')

    assert composed(VITEST, plain, answer) == plain.replace(
        "});\n});\n", '});\n\n  it("b", () => {});\n});\n'
    )
    assert composed(VITEST, hooked, answer) == f"{hooked}\n{answer}"


def test_equal_titles_in_one_suite_are_numbered():
    one = 'describe("total", () => {\n  it("it\'s \\"a\\"", () => {});\n});\n'
    text = composed(VITEST, "", one, one)

    assert text.count('describe("total"') == 1
    assert 'it("it\'s \\"a\\"", ' in text
    assert 'it("it\'s \\"a\\" (2)", ' in text
    assert VITEST.names_in(text) == {'total::it\'s "a"', 'total::it\'s "a" (2)'}


def test_what_each_makes_of_a_title_is_the_test():
    titles = ("is %i of $name", "is 4 of x", "is %i of $name (2)")
    units = [*(Unit(title, "", "total") for title in titles), Unit("for ${n}", "")]
    ran = {
        "src/cart.test.ts::total::is 3 of y": Outcome.FAILED,
        "src/cart.test.ts::total::is 4 of x": Outcome.PASSED,
        "src/cart.test.ts::total::is 3 of y (2)": Outcome.PASSED,
        "src/cart.test.ts::for 7": Outcome.PASSED,
        "src/cart.test.ts::other": Outcome.PASSED,
    }
    assert VITEST.by_unit(ran, units) == {
        "total::is %i of $name": Outcome.FAILED,
        "total::is 4 of x": Outcome.PASSED,
        "total::is %i of $name (2)": Outcome.PASSED,
        "for ${n}": Outcome.PASSED,
    }


def test_tests_that_differ_in_title_and_layout_are_the_same():
    one, other = Unit("a", 'it("a", () => {\n  f(1); // one\n});'), Unit("b", "  test('b', () => { f(1) })")

    assert VITEST.same_test(one) == VITEST.same_test(other)
    assert VITEST.same_test(one) != VITEST.same_test(Unit("a", 'it("a", () => { f(2) })'))


EQUAL = "AssertionError: expected 5 to be 6"
MISSING = "TypeError: (0 , __vite_ssr_import_1__.totl) is not a function"


@pytest.mark.parametrize(
    ("failure", "essence", "broken"),
    [
        (f"{EQUAL} // Object.is equality\n    at a.ts:1:2", EQUAL, False),
        ("Error: expect(received).toBe(expected)\n\nExpected: 6\nReceived: 5\n", "expected 6, received 5", False),
        ("Error: x\n\n- Expected  - 1\n+ Received  + 1\n\n- a: 1,\n+ a: 2,\n", "expected a: 1, received a: 2", False),
        ("ReferenceError: totl is not defined", "ReferenceError: totl is not defined", True),
        (MISSING, MISSING, True),
        ("TypeError: prices.map is not a function", "TypeError: prices.map is not a function", False),
    ],
)  # fmt: skip
def test_what_a_failure_says(failure: str, essence: str, broken: bool):
    unit = Unit("a", "", "total")
    log = f"● other > a\n\nno\n\n● total > a\n\n{failure}\n"

    assert VITEST.failure_of(log, unit) == failure.strip()
    assert VITEST.essence(failure) == essence
    assert VITEST.is_broken(failure) is broken


def test_the_fence_with_tests_is_the_answer():
    reply = f"Here:\n```ts\nimport x from 'y';\n```\nand\n```ts\n{PLAIN}```\n"

    assert module_in(reply, VITEST) == PLAIN
    assert module_in("no tests", VITEST) == ""
