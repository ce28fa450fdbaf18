import { expect, test } from "vitest";
import type { Evidence, Finding } from "../../src/protocol.js";
import { type ShownFinding, grouped, isVerified } from "../../src/views/findingList.js";

function evidence(rank: 0 | 1 | 2 | 3, outcome: Evidence["outcome"] = "failed"): Evidence {
  return {
    rank,
    outcome,
    witness: "pytest",
    target: "",
    summary: "1 failed",
    log: "",
    seconds: 0,
    tests: {},
    diagnostics: [],
    sandbox: "",
  };
}

function shown(id: string, more: Partial<ShownFinding> = {}, finding: Partial<Finding> = {}): ShownFinding {
  return {
    id,
    uri: "file:///shop/cart.py",
    line: 3,
    column: 8,
    message: id,
    severity: "warning",
    category: "bug",
    finding: { id, band: "medium", evidence: [], ...finding } as unknown as Finding,
    ...more,
  };
}

test("files come by name; in them the worst first, then line by line", () => {
  const groups = grouped(
    [
      shown("late", { line: 9 }),
      shown("early", { line: 1 }),
      shown("worst", { line: 20, severity: "critical" }),
      shown("other", { uri: "file:///shop/a.py" }),
    ],
    { grouping: "file", verifiedOnly: false },
  );
  expect(groups.map((group) => group.findings.map((each) => each.id))).toEqual([
    ["other"],
    ["worst", "early", "late"],
  ]);
});

test("by confidence the surest come first; what is not known counts as low", () => {
  const groups = grouped(
    [
      shown("low", {}, { band: "low" }),
      shown("high", {}, { band: "high" }),
      shown("old", { finding: undefined }),
    ],
    { grouping: "confidence", verifiedOnly: false },
  );
  expect(groups.map((group) => [group.key, group.findings.length])).toEqual([
    ["high", 1],
    ["low", 2],
  ]);
});

test.each([
  ["a run", evidence(3), true],
  ["a static tool", evidence(2), true],
  ["families that agree", evidence(1), false],
  ["a test that was not run", evidence(3, "notRun"), false],
  ["a tool that broke", evidence(2, "error"), false],
])("%s verifies a finding: %s", (_what, item, verified) => {
  expect(isVerified(shown("f", {}, { evidence: [item] }))).toBe(verified);
});

test("verified only leaves the others out, and no empty group", () => {
  const groups = grouped([shown("said"), shown("run", {}, { evidence: [evidence(3)] })], {
    grouping: "file",
    verifiedOnly: true,
  });
  expect(groups.map((group) => group.findings.map((each) => each.id))).toEqual([["run"]]);
});

test.each(["file", "confidence"] as const)(
  "places of a fault come first, in their rank, by %s",
  (grouping) => {
    const category = "fault-location";
    const groups = grouped(
      [
        shown("bug"),
        shown("third", { category, line: 1 }, { confidence: 0.2 }),
        shown("first", { category, uri: "file:///shop/z.py" }, { confidence: 0.9 }),
        shown("second", { category, line: 9 }, { confidence: 0.5 }),
      ],
      { grouping, verifiedOnly: false },
    );
    expect(groups.map((group) => group.findings.map((each) => each.id))).toEqual([
      ["first", "second", "third"],
      ["bug"],
    ]);
  },
);
