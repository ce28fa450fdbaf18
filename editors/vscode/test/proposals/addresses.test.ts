import { expect, test } from "vitest";
import { addressIn, queryOf, SCHEME } from "../../src/proposals/addresses.js";

const address = { proposal: "p1", uri: "file:///shop/r%C3%A9sum%C3%A9%20%5B1%5D.py", side: "after" } as const;

test("an address can be read back, whatever the file is called", () => {
  expect(addressIn(SCHEME, queryOf(address))).toEqual(address);
});

test.each([
  ["another scheme", "file", queryOf(address)],
  ["no JSON", SCHEME, "p1"],
  ["no side", SCHEME, '["p1","left","file:///x"]'],
  ["nothing at all", SCHEME, ""],
  ["other types", SCHEME, '[1,"after",{}]'],
])("%s is the address of nothing", (_, scheme, query) => {
  expect(addressIn(scheme, query)).toBeUndefined();
});
