import { describe, expect, test } from "vitest";
import { conflicts, hunkAt, placedHunks, step, tickedHunks } from "../../src/proposals/review.js";
import type { Review } from "../../src/proposals/review.js";
import type { ProposalMessage } from "../../src/protocol.js";
import { CART, change, proposal } from "../support/proposal.js";

const review = (message: ProposalMessage, ...unticked: string[]): Review => ({
  message,
  unticked: new Set(unticked),
});

/** Replaces line 3 by two, removes line 8, puts a line before line 20. */
const message = proposal({
  "cart.py": [change(3, ["a\n"], ["b\n", "c\n"]), change(8, ["d\n"], []), change(20, [], ["e\n"])],
});
const [cart] = message.files;
if (cart === undefined) throw new Error("no file");

describe("where hunks stand in the text after", () => {
  const starts = (...unticked: string[]) =>
    placedHunks(review(message, ...unticked), cart).map(({ after }) => [after.start, after.end]);

  test("each moves by what those before it added or removed", () => {
    expect(starts()).toEqual([
      [3, 5],
      [9, 9],
      [20, 21],
    ]);
  });

  test("one that is not ticked keeps its old lines and moves nothing", () => {
    expect(starts("h3")).toEqual([
      [3, 4],
      [8, 8],
      [19, 20],
    ]);
  });

  test("one in conflict is never in the text after", () => {
    const hunks = [change(3, ["a\n"], ["b\n", "c\n"], { conflict: true }), change(8, ["d\n"], ["e\n"])];
    const hurt = proposal({ "cart.py": hunks });
    expect(tickedHunks(review(hurt))).toEqual(["h8"]);
    expect(conflicts(hurt)).toBe(1);
  });
});

describe("the hunk at the cursor", () => {
  const at = (side: "before" | "after", line: number) =>
    hunkAt(placedHunks(review(message), cart), side, line)?.hunk.id;

  test("is the one whose lines hold it, on either side", () => {
    expect([at("before", 3), at("after", 4), at("before", 4), at("after", 20)]).toEqual([
      "h3",
      "h3",
      undefined,
      "h20",
    ]);
  });

  test("removed lines are found where they were", () => {
    expect([at("before", 8), at("after", 9)]).toEqual(["h8", "h8"]);
  });
});

describe("walking", () => {
  const many = review(
    proposal({
      "cart.py": [change(3, ["a\n"], ["b\n"]), change(9, ["c\n"], ["d\n"])],
      "shop.py": [change(1, ["e\n"], ["f\n"])],
    }),
  );
  const from = (path: string, line: number, direction: 1 | -1) => {
    const stop = step(many, { uri: `file:///shop/${path}`, side: "after", line }, direction);
    return stop && `${stop.file.uri.slice("file:///shop/".length)}:${String(stop.placed.after.start)}`;
  };

  test("forward goes to the next hunk, then to the next file, then around", () => {
    expect([
      from("cart.py", 0, 1),
      from("cart.py", 3, 1),
      from("cart.py", 9, 1),
      from("shop.py", 1, 1),
    ]).toEqual(["cart.py:3", "cart.py:9", "shop.py:1", "cart.py:3"]);
  });

  test("backward goes the same way back", () => {
    expect([from("shop.py", 1, -1), from("cart.py", 9, -1), from("cart.py", 3, -1)]).toEqual([
      "cart.py:9",
      "cart.py:3",
      "shop.py:1",
    ]);
  });

  test("from anywhere else it begins at the first hunk", () => {
    expect(step(many, undefined, 1)?.file.uri).toBe(CART);
  });

  test("without hunks there is nowhere to go", () => {
    expect(step(review(proposal({})), undefined, 1)).toBeUndefined();
  });
});
