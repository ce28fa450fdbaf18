import { expect, test } from "vitest";
import { placeArgument, spanOf } from "../../src/actions/arguments.js";
import type { Place } from "../../src/actions/arguments.js";

const range = (start: number, end: number) => ({
  start: { line: start, character: 0 },
  end: { line: end, character: 4 },
});

const place: Place = { uri: "file:///shop/cart.py", selected: "", selection: range(3, 3), diagnostics: [] };

test("a review of the place is one of a range, also without a selection", () => {
  expect(placeArgument("review", place)).toEqual({
    uri: place.uri,
    range: place.selection,
    scope: "range",
  });
});

test("a fix takes the diagnostics of other tools along, and the range around all of them", () => {
  const diagnostics = [
    { range: range(3, 5), message: "unused", source: "ruff" },
    { range: range(2, 3), message: "undefined", source: "pyright" },
  ];
  expect(placeArgument("fix", { ...place, diagnostics })).toEqual({
    uri: place.uri,
    range: range(2, 5),
    diagnostics,
  });
});

test("a fix of a finding of ours names the finding", () => {
  const diagnostics = [
    { range: range(3, 3), message: "unused", source: "ruff" },
    { range: range(3, 3), message: "loses the sum", source: "ensemble", finding: "f1" },
  ];
  expect(placeArgument("fix", { ...place, diagnostics })).toEqual({
    uri: place.uri,
    range: place.selection,
    finding: "f1",
  });
});

test("other actions do not speak of diagnostics", () => {
  const diagnostics = [{ range: range(3, 3), message: "unused" }];
  expect(placeArgument("explain", { ...place, diagnostics })).toEqual({
    uri: place.uri,
    range: place.selection,
  });
});

test("ends on the same line are told apart by their column", () => {
  const one = { start: { line: 1, character: 9 }, end: { line: 1, character: 20 } };
  const other = { start: { line: 1, character: 10 }, end: { line: 1, character: 11 } };
  expect(spanOf([other, one])).toEqual(one);
});

test.each([
  ["Python", 'Traceback (most recent call last):\n  File "cart.py", line 4, in total\nTypeError: no'],
  ["JavaScript", "TypeError: no\n    at total (src/cart.js:4:9)"],
  ["a test runner", "FAILED\ncart.py:4: AssertionError"],
])("a selected traceback of %s is what a fault is looked for by", (_, selected) => {
  expect(placeArgument("locate", { ...place, selected })).toEqual({
    uri: place.uri,
    range: place.selection,
    report: "selection",
  });
  expect(placeArgument("explain", { ...place, selected })).not.toHaveProperty("report");
});

test("selected code is no traceback", () => {
  expect(placeArgument("locate", { ...place, selected: "def total(prices):\n    return 0\n" })).toEqual({
    uri: place.uri,
    range: place.selection,
  });
});
