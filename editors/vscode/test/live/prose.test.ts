import { expect, test } from "vitest";
import { Prose } from "../../src/live/prose.js";

function read(text: string, size = text.length): string {
  const prose = new Prose();
  let out = "";
  for (let at = 0; at < text.length; at += size) out += prose.add(text.slice(at, at + size));
  return out;
}

const ANSWERS: [string, string][] = [
  ["plain words pass", "plain words pass"],
  ["cart.py\n<<<<<<< SEARCH\n{}\n", "cart.py\n<<<<<<< SEARCH\n{}\n"],
  ['{"stance": "Use +=.", "line": 4}', "stance: Use +=.\nline: 4"],
  [
    '{"objection":"It\\nbreaks \\"now\\"","quote":"","because":"\\u00e9"}',
    'objection: It\nbreaks "now"\nbecause: é',
  ],
  ['{"would_settle": "a test"}', "would settle: a test"],
  [
    '{"findings": [{"title": "A", "line": 1}, {"title": "B", "line": 2}]}',
    "title: A\nline: 1\n\ntitle: B\nline: 2",
  ],
  ['{"families": ["one", "two"]}', "families: one; two"],
  ["", ""],
];

test.each(ANSWERS)("%j reads as %j", (answer, expected) => {
  expect(read(answer)).toBe(expected);
});

test.each(ANSWERS)("%j reads the same in pieces of one character", (answer, expected) => {
  expect(read(answer, 1)).toBe(expected);
});
