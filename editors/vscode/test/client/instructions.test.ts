import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({}));
const { remembered, rows } = await import("../../src/client/instructions.js");

test("the newest instruction stands first, and each only once", () => {
  expect(remembered(["b", "a"], "a")).toEqual(["a", "b"]);
});

test("only so many are remembered", () => {
  const before = Array.from({ length: 30 }, (_, index) => `no. ${String(index)}`);
  const after = remembered(before, "new");
  expect(after).toHaveLength(30);
  expect(after[0]).toBe("new");
  expect(after).not.toContain("no. 29");
});

test("what is typed is the first choice, before older ones that contain it", () => {
  expect(rows("sum", ["fix the sum", "rename it"])).toEqual(["sum", "fix the sum"]);
});

test("before anything is typed, the older ones are offered", () => {
  expect(rows("  ", ["fix the sum"])).toEqual(["fix the sum"]);
});
