import { expect, test } from "vitest";
import { escaped, reasons } from "../../src/proposals/reasons.js";
import { placedHunks } from "../../src/proposals/review.js";
import type { Translate } from "../../src/proposals/words.js";
import { evidenceInShort, hunkTitle, standing } from "../../src/proposals/words.js";
import { change, proposal } from "../support/proposal.js";

const english: Translate = (message, ...values) =>
  message.replaceAll(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)]));

test("what stands behind a proposal, in one line", () => {
  expect(standing(proposal({}), english)).toBe("verified · 1 family · $0.0123");
  expect(standing(proposal({}, { weak: true }), english)).toContain("verified, but weakly");
});

test("a hunk is called by its lines, counted from 1, and the first line that it writes", () => {
  expect(hunkTitle(change(3, ["a\n"], ["  b = 1\n"]), english)).toBe("Line 4: b = 1");
  expect(hunkTitle(change(3, ["a\n", "b\n"], ["\n", "c\n"]), english)).toBe("Lines 4–5: c");
  expect(hunkTitle(change(3, ["gone\n"], []), english)).toBe("Line 4: gone");
});

test("evidence in short names families and checks with how they ended", () => {
  const text = evidenceInShort([
    { kind: "families", source: "anthropic, openai", text: "" },
    { kind: "check", source: "pytest", text: "3 passed", outcome: "passed" },
    { kind: "check", source: "ruff", text: "F841", outcome: "failed" },
    { kind: "finding", source: "openai", text: "loses the sum" },
  ]);
  expect(text).toBe("anthropic, openai · pytest ✓ · ruff ✗");
});

test.each([
  ["a command link", "[run](command:workbench.action.terminal.sendSequence)"],
  ["an image", "![x](https://example.org/spy.png)"],
  ["HTML", "<img src=x onerror=alert(1)>"],
  ["a link in angle brackets", "<https://example.org>"],
  ["a heading after a line break", "quiet\n# LOUD"],
  ["code that would end a block", "```\n[x](command:y)"],
  ["an entity", "&lt;b&gt;"],
])("a model's %s is text in the reasons, never markup", (_, hostile) => {
  const hunk = change(0, [], ["x\n"], {
    why: hostile,
    evidence: [{ kind: "finding", source: hostile, text: hostile }],
  });
  const message = proposal(
    { "cart.py": [hunk] },
    {
      title: hostile,
      wouldSettle: hostile,
      dissent: [{ member: "m", family: "f", about: "c1", text: hostile }],
    },
  );
  const [file] = message.files;
  const [placed] = file === undefined ? [] : placedHunks({ message, unticked: new Set() }, file);
  if (placed === undefined) throw new Error("no hunk");
  const markdown = reasons(message, placed, "", english);
  // Our own marks are all that is left when entities are taken out.
  const marks = markdown.replaceAll(/&#\d+;/g, "").replaceAll(/\*\*|^- |^\*|\*$/gm, "");
  expect(marks).not.toMatch(/[[\]<>`#!()]|command:|https:/);
});

test("a conflict shows what was proposed, in a block that its text cannot end", () => {
  const hunk = change(0, ["```\n"], ["x = 1\r\n"], { conflict: true });
  const message = proposal({ "cart.py": [hunk] });
  const [file] = message.files;
  const [placed] = file === undefined ? [] : placedHunks({ message, unticked: new Set() }, file);
  if (placed === undefined) throw new Error("no hunk");
  expect(reasons(message, placed, "", english)).toContain("````diff\n-```\n+x = 1\n````");
});

test("the reasons name the proposal once, with its price", () => {
  const hunk = change(0, [], ["x\n"]);
  const message = proposal({ "cart.py": [hunk] }, { title: "Fix total, 2 families, agreed" });
  const [file] = message.files;
  const [placed] = file === undefined ? [] : placedHunks({ message, unticked: new Set() }, file);
  if (placed === undefined) throw new Error("no hunk");
  const [first] = reasons(message, placed, "", english).split("\n");
  expect(first).toBe(`**Fix total, 2 families, agreed** · ${escaped("$0.0123")}`);
});

test("escaping keeps the words", () => {
  const decoded = escaped("a*b <c> [d]").replaceAll(/&#(\d+);/g, (_, code: string) =>
    String.fromCodePoint(Number(code)),
  );
  expect(decoded).toBe("a*b <c> [d]");
});
