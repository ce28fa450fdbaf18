import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({ EventEmitter: vi.fn() }));
const { report } = await import("../../src/server/doctor.js");

const seen = {
  extension: "0.1.0",
  editor: "1.100.0",
  trusted: false,
  state: { kind: "running", version: "0.1.0" },
  place: { command: "/usr/bin/ensemble-lsp", args: ["serve"], source: "path" },
  panel: undefined,
  printed: "",
} as const;

test("the report says what runs, where it was found and that the workspace is not trusted", () => {
  const text = report(seen);
  expect(text).toContain("server: running, version 0.1.0");
  expect(text).toContain("/usr/bin/ensemble-lsp (found by path)");
  expect(text).toContain("not trusted");
});

test("without a server it names the places that were tried", () => {
  const text = report({ ...seen, state: { kind: "missing", tried: [] }, place: { tried: ["PATH: no uvx"] } });
  expect(text).toContain("program: not found\n  - PATH: no uvx");
});

test("what the program prints cannot end the block that it stands in", () => {
  const text = report({ ...seen, printed: "before\n```\n# after" });
  expect(text).toContain("````text\nbefore\n```\n# after\n````");
});

test("members are those of the editor's settings, not those that a terminal would seat", () => {
  const seat = {
    id: "alpha",
    model: "openai/alpha",
    family: "alpha",
    key: "OPENAI_API_KEY is missing",
    local: false,
    recipient: "api.openai.com",
    role: "member",
    why: "ensemble.panel names it",
  } as const;
  const printed = JSON.stringify([
    { name: "sandbox", good: true, text: "bubblewrap" },
    { name: "trust", good: null, text: "/shop is not trusted: `ensemble-lsp trust` lets its tests run" },
    { name: "member beta", good: true, text: "openai/beta, a key" },
  ]);
  const text = report({
    ...seen,
    trusted: true,
    panel: { seats: [seat], notes: [], spentTodayUsd: 0, dayUsd: 5 },
    printed,
  });
  expect(text).toContain("- member alpha: openai/alpha; key: OPENAI_API_KEY is missing");
  expect(text).toContain("✓ sandbox: bubblewrap");
  expect(text).not.toContain("beta");
  expect(text).not.toContain("not trusted");
});
