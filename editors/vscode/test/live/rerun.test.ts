import { expect, test } from "vitest";
import { argumentOf, rerun } from "../../src/live/rerun.js";
import type { Task, Transcript } from "../../src/protocol.js";
import { FakeSession } from "../support/fakeSession.js";

const TASK: Task = {
  action: "fix",
  allLines: false,
  path: "cart.py",
  range: { start: 3, end: 5 },
  instruction: "",
  diagnostics: [],
  mode: "panel",
  rounds: 1,
  paths: [],
  changedLines: {},
  fresh: false,
  places: [],
  change: "",
  limits: { usd: 0.5, seconds: 120 },
};

function transcript(task: Partial<Task>): Transcript {
  return {
    task: { ...TASK, ...task },
    events: [],
    summary: {
      job: "old",
      action: task.action ?? "fix",
      title: "cart.py",
      workspace: "/shop",
      status: "done",
      started: 0,
      seconds: 1,
      usd: 0,
      calls: 1,
    },
  };
}

const uriOf = (workspace: string, path: string) => `file://${workspace}/${path}`;

test("a job is asked again as it was", async () => {
  const session = new FakeSession().answer("ensemble.explain", () => ({ job: "new" }));
  expect(await rerun(session, transcript({ action: "explain", instruction: "in short" }), uriOf)).toBe("new");
  expect(session.asked[0]?.argument).toEqual({
    uri: "file:///shop/cart.py",
    mode: "panel",
    rounds: 1,
    range: { start: { line: 3, character: 0 }, end: { line: 5, character: 0 } },
    instruction: "in short",
  });
});

test("a finding that is not shown any more becomes the instruction", async () => {
  const finding = { id: "f1", title: "It divides by zero", detail: "mean([]) raises" } as Task["finding"] &
    object;
  const session = new FakeSession().answer("ensemble.fix", (argument) => {
    if (argument.finding !== undefined) throw new Error("no finding 'f1' is shown");
    return { job: "new" };
  });
  expect(await rerun(session, transcript({ finding }), uriOf)).toBe("new");
  expect(session.asked.at(-1)?.argument).toMatchObject({
    instruction: "It divides by zero. mean([]) raises",
  });
});

test("a search from a traceback is told that it is a report, and starts from the folder", async () => {
  const { path: _, range: __, ...without } = TASK;
  const session = new FakeSession().answer("ensemble.locate", () => ({ job: "new" }));
  const located = transcript({});
  const task: Task = { ...without, action: "locate", instruction: "Traceback (most recent call last)" };
  await rerun(session, { ...located, task }, uriOf);
  expect(session.asked[0]?.argument).toMatchObject({
    uri: "file:///shop/",
    instruction: "Traceback (most recent call last)",
    report: "instruction",
  });
  expect(argumentOf({ ...TASK, action: "locate" }, "file:///shop/cart.py")).not.toHaveProperty("report");
});

test("a review of what changed since a branch looks for it again", () => {
  const { path: _, range: __, ...folder } = { ...TASK, action: "review" as const };
  const since = argumentOf({ ...folder, scope: "changes", base: "main" }, "file:///shop/");
  expect(since).toMatchObject({ scope: "changes", base: "main" });
  expect(argumentOf({ ...folder, scope: "staged" }, "file:///shop/")).toMatchObject({ scope: "staged" });
});

test("diagnostics go along with their lines, 0-based", () => {
  const diagnostic = {
    path: "cart.py",
    line: 3,
    endLine: 3,
    severity: "warning",
    source: "ruff",
    code: "B007",
    message: "unused",
  } as const;
  const { diagnostics } = argumentOf({ ...TASK, diagnostics: [diagnostic] }, "file:///shop/cart.py");
  expect(diagnostics).toEqual([
    {
      range: { start: { line: 3, character: 0 }, end: { line: 4, character: 0 } },
      message: "unused",
      source: "ruff",
      code: "B007",
      severity: 2,
    },
  ]);
});

test("a commit message is asked for again in the box of its repository, as it is now", async () => {
  const session = new FakeSession().answer("ensemble.rewrite", () => ({ job: "new" }));
  const { range: _, ...task } = TASK;
  const written = transcript({});
  const boxOf = (uri: string) => Promise.resolve({ uri: `box of ${uri}`, commit: "file:///shop" });
  const again = { ...written, task: { ...task, action: "rewrite", path: "COMMIT_EDITMSG" } as const };
  expect(await rerun(session, again, uriOf, boxOf)).toBe("new");
  expect(session.asked[0]?.argument).toEqual({
    uri: "box of file:///shop/COMMIT_EDITMSG",
    commit: "file:///shop",
    mode: "panel",
    rounds: 1,
  });
});
