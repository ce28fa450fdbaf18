import { expect, test } from "vitest";
import { unheard } from "../../src/live/state.js";
import type { JobSummary } from "../../src/protocol.js";
import { listed } from "../../src/views/jobList.js";

const KEPT: JobSummary = {
  job: "a",
  action: "fix",
  title: "cart.py",
  workspace: "/shop",
  status: "running",
  started: 10,
  seconds: 0,
  usd: 0,
  calls: 0,
};

test("what this window heard is newer than what the server wrote down", () => {
  const state = { ...unheard("a"), status: "done" as const, seconds: 4, started: 10 };
  expect(listed([KEPT], [state])).toMatchObject([{ job: "a", status: "done", title: "cart.py", seconds: 4 }]);
});

test("a job that the server has not written down yet is listed, and the newest comes first", () => {
  const state = { ...unheard("b"), started: 20, last: 23, uri: "file:///shop/tax.py" };
  expect(listed([KEPT], [state]).map((job) => [job.job, job.title, job.seconds])).toEqual([
    ["b", "tax.py", 3],
    ["a", "cart.py", 0],
  ]);
});
