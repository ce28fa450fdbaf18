import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({ EventEmitter: vi.fn() }));
const { report } = await import("../../src/server/doctor.js");

const seen = {
  extension: "0.1.0",
  editor: "1.100.0",
  trusted: false,
  state: { kind: "running", version: "0.1.0" },
  place: { command: "/usr/bin/ensemble-lsp", args: ["serve"], source: "path" },
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
