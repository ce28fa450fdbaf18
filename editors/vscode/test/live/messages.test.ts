import { expect, test } from "vitest";
import { parsed } from "../../src/live/messages.js";
import { fill, words } from "../../src/live/words.js";

test.each([
  [{ kind: "ready" }, { kind: "ready" }],
  [
    { kind: "button", button: "cancel", more: 1 },
    { kind: "button", button: "cancel" },
  ],
  [{ kind: "button", button: "workbench.action.terminal.new" }, undefined],
  [{ kind: "finding", finding: 7 }, undefined],
  [{ kind: "command", command: "x" }, undefined],
  ["ready", undefined],
  [null, undefined],
])("the page's %j is read as %j", (message, expected) => {
  expect(parsed(message)).toEqual(expected);
});

test("a value with braces of its own is not filled again", () => {
  expect(fill("{0} attacks {1}", "{1}", "beta")).toBe("{1} attacks beta");
});

test("every word has a text in the person's language", () => {
  const asked: string[] = [];
  words((text) => {
    asked.push(text);
    return text;
  });
  expect(asked.filter((text) => text.trim() === "")).toEqual([]);
});
