import { expect, test } from "vitest";
import { JobBoard } from "../../src/live/jobBoard.js";
import type { JobEvent } from "../../src/protocol.js";
import { FakeSession } from "../support/fakeSession.js";

const phase = (job: string, seq = 0): JobEvent => ({
  kind: "phase",
  phase: "draft",
  round: 0,
  note: "",
  job,
  seq,
  time: 1,
});

test("events of several jobs come mixed and are kept apart", () => {
  const session = new FakeSession();
  const board = new JobBoard(session);
  for (const event of [phase("a"), phase("b"), phase("a", 1)]) session.events.fire(event);
  expect(board.all().map((state) => [state.job, state.seq])).toEqual([
    ["b", 0],
    ["a", 1],
  ]);
});

test("jobs end when the server is gone: it tells no ends any more", () => {
  const session = new FakeSession();
  const board = new JobBoard(session);
  const ends: string[] = [];
  board.onEvent(({ event }) => {
    if (event.kind === "finished") ends.push(event.job);
  });
  session.events.fire(phase("a"));
  session.become({ kind: "failed", reason: "gone", retrying: true });
  expect(ends).toEqual(["a"]);
  expect(board.running()).toEqual([]);
});

test("running jobs are kept however many ended since", () => {
  const session = new FakeSession();
  const board = new JobBoard(session);
  session.events.fire(phase("runs"));
  for (let number = 0; number < 100; number += 1) {
    const job = `j${number}`;
    const spend = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };
    session.events.fire({
      kind: "finished",
      status: "done",
      reason: "",
      spend,
      seconds: 1,
      job,
      seq: 0,
      time: 2,
    });
  }
  expect(board.get("runs")).toBeDefined();
  expect(board.all().length).toBeLessThanOrEqual(30);
});
