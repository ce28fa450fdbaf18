"""Written tests for vitest: in the project's own layout, run by the real vitest, added to what is there."""

import shutil
from pathlib import Path

import pytest

from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.proposals import Standing
from tests.engine.action_jobs import after, asked, job, written

MODULES = Path(__file__).parents[2] / "editors/vscode/node_modules"

pytestmark = [
    pytest.mark.skipif(
        shutil.which("node") is None or not (MODULES / ".bin/vitest").exists(),
        reason="Node.js or the extension's node_modules are not installed",
    ),
    pytest.mark.timeout(400),
]
PATIENCE = {"seconds": 350}
"""For machines that have other things to do: each run starts a vitest."""

CODE = """\
export function total(prices: number[]): number {
  const sum = prices.reduce((left, right) => left + right);
  return sum > 100 ? 100 : sum;
}
"""
FIRST = """\
```ts
import { describe, it, expect } from 'vitest';
import { total } from './cart';

describe("total", () => {
  it("adds the prices", () => {
    expect(total([1, 2, 39])).toBe(42);
  });

  it("is there", () => {
    expect(total).toBeDefined();
  });
});
```
"""
SECOND = """\
```ts
import { total } from "../src/cart";

const MANY = [60, 70];

describe("total", () => {
  it.each([[MANY, 100], [[101], 100]])("keeps to the limit: %j", (prices, expected) => {
    expect(total(prices)).toBe(expected);
  });

  it("is nothing without prices", () => {
    expect(total([])).toEqual(0);
  });

  it("is nothing for less than nothing", () => {
    expect(total([-5])).toBe(0);
  });
});
```
"""
TOGETHER = """\
import { describe, expect, it } from "vitest";
import { total } from "./cart";

const MANY = [60, 70];

describe("total", () => {
  it("adds the prices", () => {
    expect(total([1, 2, 39])).toBe(42);
  });

  it.each([[MANY, 100], [[101], 100]])("keeps to the limit: %j", (prices, expected) => {
    expect(total(prices)).toBe(expected);
  });
});
"""


def project(root: Path, **files: str) -> Path:
    """Make a package whose vitest is the extension's."""
    package = '{"type": "module", "scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "*"}}'
    written(root, {"package.json": package, ".gitignore": "node_modules\n", "src/cart.ts": CODE, **files})
    (root / "node_modules").symlink_to(MODULES)
    return root.resolve()


async def test_tests_of_two_members_become_one_suite_beside_the_code(tmp_path: Path):
    prompts: list[str] = []
    result = await job(
        project(tmp_path),
        Action.TEST,
        {"a": FIRST, "b": SECOND},
        path="src/cart.ts",
        lines=(1, 2),
        prompts=prompts,
        mode=Mode.QUICK,
        budget=PATIENCE,
    )

    assert asked(prompts, "Write one TypeScript test file in one code block")
    assert asked(prompts, 'it imports the code from "./cart"')
    assert result.status is Status.DONE, result.notes
    assert result.proposal is not None
    assert after(result) == {"src/cart.test.ts": TOGETHER}
    assert result.proposal.standing is Standing.VERIFIED
    assert not result.proposal.weak
    assert "`total::is there`: notices no change of the code" in result.document
    assert not (tmp_path / "src/cart.test.ts").exists()
    bugs = {bug.title.rpartition(": ")[2]: bug.evidence[0] for bug in result.findings}
    assert bugs["is nothing for less than nothing"].summary == "AssertionError: expected -5 to be +0"
    assert bugs["is nothing for less than nothing"].witness == "vitest"
    assert "at src/cart.test.ts:" in bugs["is nothing for less than nothing"].log
    assert bugs["is nothing without prices"].summary.startswith("TypeError: Reduce of empty array")
    assert set(bugs) == {"is nothing for less than nothing", "is nothing without prices"}


async def test_a_file_of_tests_is_added_to_and_only_the_new_ones_count(tmp_path: Path):
    existing = """\
import { half } from "../half";
import { expect, test } from "vitest";

test("of four", () => {
  expect(half(4)).toBe(3);
});
"""
    files = {
        "src/half.ts": "export const half = (price: number) => price / 2;\n",
        "src/__tests__/half.spec.ts": existing,
    }
    wanted = """```ts
import { beforeEach, expect, test } from "vitest";
import { half } from "../half";

test("of four", () => {
  expect(half(4)).toBe(2);
});
```"""
    prompts: list[str] = []
    result = await job(
        project(tmp_path, **files),
        Action.TEST,
        {"a": wanted},
        path="src/half.ts",
        lines=(0, 1),
        prompts=prompts,
        mode=Mode.QUICK,
        budget=PATIENCE,
    )

    assert asked(prompts, "without describe around them")
    added = 'test("of four (2)", () => {\n  expect(half(4)).toBe(2);\n});\n'
    assert after(result) == {"src/__tests__/half.spec.ts": f"{existing}\n{added}"}
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert result.findings == ()
    assert "tests that src/__tests__/half.spec.ts had before do not pass: 1 passed, 1 failed" in result.notes


async def test_what_is_not_installed_is_said_and_the_tests_are_shown_unverified(tmp_path: Path):
    root = project(tmp_path)
    (root / "node_modules").unlink()
    result = await job(root, Action.TEST, {"a": FIRST}, path="src/cart.ts", lines=(1, 2), mode=Mode.QUICK)

    assert result.proposal is not None
    assert result.proposal.standing is Standing.UNVERIFIED
    assert "vitest is not installed in the root; run `npm install` there" in result.proposal.would_settle
