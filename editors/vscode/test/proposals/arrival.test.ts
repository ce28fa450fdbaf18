import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({}));
const { opens } = await import("../../src/proposals/arrival.js");

const idle = { typed: false, reviewing: false };

test("a diff comes up by itself for someone who waits", () => {
  expect(opens("whenIdle", idle)).toBe(true);
});

test("it never takes the place of what someone types, or of another review", () => {
  expect(opens("whenIdle", { ...idle, typed: true })).toBe(false);
  expect(opens("whenIdle", { ...idle, reviewing: true })).toBe(false);
});

test("the setting has the last word", () => {
  expect(opens("always", { typed: true, reviewing: true })).toBe(true);
  expect(opens("never", idle)).toBe(false);
});
