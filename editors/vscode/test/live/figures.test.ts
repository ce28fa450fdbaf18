import { expect, test } from "vitest";
import { count, debateCost, duration, fileOf, money, progressOf, tokensOf } from "../../src/live/figures.js";
import type { Lane } from "../../src/live/lanes.js";
import { unheard } from "../../src/live/state.js";

const LANE: Lane = {
  member: "alpha",
  family: "openai",
  model: "openai/alpha",
  local: false,
  running: [],
  ended: "answered",
  pieces: [],
  spend: { calls: 2, tokensIn: 10, tokensOut: 100, usd: 0.01 },
  error: "",
  speed: undefined,
  written: 80,
};

test.each([
  [0, "$0.00"],
  [0.0003, "$0.0003"],
  [0.0123, "$0.012"],
  [0.4, "$0.40"],
  [12, "$12.00"],
])("%d dollars are %s", (usd, text) => {
  expect(money(usd)).toBe(text);
});

test.each([
  [950, "950"],
  [4_120, "4.1k"],
  [999_960, "1.0M"],
])("%d tokens are %s", (number, text) => {
  expect(count(number)).toBe(text);
});

test("a minute and more is said in minutes", () => {
  expect([duration(0.2), duration(8.4), duration(125)]).toEqual(["< 1 s", "8 s", "2 min 5 s"]);
});

test("tokens that are being written are estimated", () => {
  expect(tokensOf(LANE)).toBe(120);
});

test("a debate costs one call a member and round, and one to conclude, at the average price so far", () => {
  const state = { ...unheard("j"), lanes: [LANE, { ...LANE, member: "beta" }] };
  expect(debateCost(state)).toBeCloseTo(0.005 * 3);
  expect(debateCost(state, 2)).toBeCloseTo(0.005 * 5);
  expect(debateCost(unheard("j"))).toBeUndefined();
});

test("progress rises with the phases and ends at 1", () => {
  const at = (phase: "draft" | "decide") => progressOf({ ...unheard("j"), phase });
  expect(at("draft")).toBeLessThan(at("decide"));
  expect(progressOf({ ...unheard("j"), status: "done" })).toBe(1);
});

test("a file's name is read out of its URI", () => {
  expect(fileOf({ ...unheard("j"), uri: "file:///a/b%20c/caf%C3%A9.py" })).toBe("café.py");
});
