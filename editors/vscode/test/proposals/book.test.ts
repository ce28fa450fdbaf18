import { beforeEach, describe, expect, test } from "vitest";
import { ProposalBook } from "../../src/proposals/book.js";
import type { Change } from "../../src/proposals/book.js";
import { tickedHunks } from "../../src/proposals/review.js";
import { FakeSession } from "../support/fakeSession.js";
import { CART, change, proposal } from "../support/proposal.js";

const two = (more = {}) =>
  proposal({ "cart.py": [change(3, ["a\n"], ["b\n"]), change(8, ["c\n"], ["d\n"])] }, more);

let session: FakeSession;
let book: ProposalBook;
let changes: Change[];

beforeEach(() => {
  session = new FakeSession();
  book = new ProposalBook(session);
  changes = [];
  book.onChange((each) => changes.push(each));
});

const ticked = () => {
  const review = book.get("p1");
  return review === undefined ? undefined : tickedHunks(review);
};

test("a proposal arrives once; later messages about it are changes", () => {
  session.proposals.fire(two());
  session.proposals.fire(two({ revision: 1 }));
  expect(changes.map(({ kind }) => kind)).toEqual(["arrived", "changed"]);
});

test("a change names only the files that read differently now", () => {
  const both = (start: number) =>
    proposal({ "cart.py": [change(3, ["a\n"], ["b\n"])], "shop.py": [change(start, ["e\n"], ["f\n"])] });
  session.proposals.fire(both(1));
  session.proposals.fire({ ...both(2), revision: 1 });
  expect([...(changes[1]?.uris ?? [])]).toEqual(["file:///shop/shop.py"]);
});

test("an older message does not take the place of a newer one", () => {
  session.proposals.fire(two({ revision: 5 }));
  session.proposals.fire(two({ revision: 4, title: "old" }));
  expect(book.get("p1")?.message.title).toBe("Fix total");
});

describe("ticks", () => {
  test("everything is ticked first, and what was unticked stays so when the text moves", () => {
    session.proposals.fire(two());
    expect(ticked()).toEqual(["h3", "h8"]);
    book.toggle("p1", "h3");
    session.proposals.fire(two({ revision: 1 }));
    expect(ticked()).toEqual(["h8"]);
  });

  test("change the texts of their file", () => {
    session.proposals.fire(two());
    book.toggle("p1", "h3");
    expect([...(changes.at(-1)?.uris ?? [])]).toEqual([CART]);
  });
});

describe("accepting", () => {
  test("sends what is ticked, of the candidate that is shown", async () => {
    session.answer("ensemble.apply", () => ({ applied: true }));
    session.answer("ensemble/candidate", () => proposal({ "cart.py": [change(3, ["a\n"], ["b\n"])] }));
    session.proposals.fire(two());
    book.toggle("p1", "h3");
    await book.accept("p1");
    expect(session.asked[0]).toEqual({
      name: "ensemble.apply",
      argument: { proposal: "p1", hunks: ["h8"], candidate: "c1" },
    });
  });

  test("sends nothing when nothing is ticked", async () => {
    session.proposals.fire(two());
    book.tick("p1", ["h3", "h8"], false);
    expect(await book.accept("p1")).toEqual({ applied: false });
    expect(session.asked).toEqual([]);
  });

  test("the whole ends the proposal, since the server does not know it any more", async () => {
    session.answer("ensemble.apply", () => ({ applied: true }));
    session.answer("ensemble/candidate", () => {
      throw new Error("no proposal 'p1'");
    });
    session.proposals.fire(two());
    await book.accept("p1");
    expect(book.all).toEqual([]);
    expect(changes.at(-1)?.kind).toBe("gone");
  });

  test("an edit that the editor refused leaves the proposal", async () => {
    session.answer("ensemble.apply", () => ({ applied: false, failureReason: "stale" }));
    session.answer("ensemble/candidate", () => two());
    session.proposals.fire(two());
    expect(await book.accept("p1")).toEqual({ applied: false, failureReason: "stale" });
    expect(ticked()).toEqual(["h3", "h8"]);
  });
});

test("a candidate that was chosen stays so when the server speaks of its own choice again", async () => {
  session.answer("ensemble/candidate", ({ candidate }) =>
    proposal({ "cart.py": [change(5, ["x\n"], ["y\n"])] }, { candidate, revision: 1 }),
  );
  session.proposals.fire(two());
  await book.choose("p1", "c2");
  session.proposals.fire(two({ revision: 2 }));
  await Promise.resolve();
  await Promise.resolve();
  expect(book.get("p1")?.message.candidate).toBe("c2");
  expect(session.asked.filter(({ name }) => name === "ensemble/candidate")).toHaveLength(2);
});

test("a proposal of which nothing is left to decide is gone, and an undo brings it back without a fanfare", () => {
  session.proposals.fire(two());
  session.proposals.fire(proposal({ "cart.py": [] }, { revision: 1 }));
  session.proposals.fire(two({ revision: 2 }));
  expect(changes.map(({ kind }) => kind)).toEqual(["arrived", "gone", "changed"]);
});

test("when the server ends, so do its proposals", () => {
  session.proposals.fire(two());
  session.become({ kind: "failed", reason: "killed", retrying: true });
  expect(book.all).toEqual([]);
});
