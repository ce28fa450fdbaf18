import { beforeEach, expect, test, vi } from "vitest";
import type { Uri } from "vscode";
import { JobBoard } from "../../src/live/jobBoard.js";
import { LiveView } from "../../src/live/liveView.js";
import type { JobEvent, Transcript } from "../../src/protocol.js";
import type { FakePanel } from "../support/fakeEditor.js";
import { FakeSession } from "../support/fakeSession.js";

const editor = await vi.hoisted(async () => {
  const support = await import("../support/fakeEditor.js");
  return new support.FakeEditor();
});
vi.mock("vscode", () => editor.module);

const SPEND = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

/** Everything that is heard of a short job. */
function course(job: string): JobEvent[] {
  const panel = ["alpha", "beta"].map((member) => ({ member, family: member, model: member, local: true }));
  const estimate = { callsExpected: 2, callsBound: 4, usdExpected: 0, usdBound: 0 };
  return [
    {
      kind: "started",
      action: "explain",
      mode: "debate",
      uri: "file:///shop/cart.py",
      notes: [],
      panel,
      estimate,
    },
    { kind: "phase", phase: "decide", round: 0, note: "" },
    { kind: "finished", status: "done", reason: "", spend: SPEND, seconds: 0.2 },
  ].map((body, seq) => ({ ...body, job, seq, time: 1 }) as JobEvent);
}

/** What the server keeps of a job. */
function kept(job: string, status: Transcript["summary"]["status"], events: JobEvent[]): Transcript {
  const summary = {
    job,
    action: "explain",
    title: "cart.py",
    workspace: "/shop",
    status,
    started: 0,
  } as const;
  return {
    task: { action: "explain" } as Transcript["task"],
    events: events as unknown as Transcript["events"],
    summary: { ...summary, seconds: 1, usd: 0, calls: 1 },
  };
}

let session: FakeSession;
let board: JobBoard;
let view: LiveView;

beforeEach(() => {
  editor.panels.length = 0;
  session = new FakeSession();
  board = new JobBoard(session);
  view = new LiveView("" as unknown as Uri, session, board, {
    press: () => Promise.resolve(),
    openFinding: () => Promise.resolve(),
  });
});

function page(): FakePanel {
  const panel = editor.panels[0];
  if (panel === undefined) throw new Error("no live view is open");
  return panel;
}

const EVERYTHING = { mode: "debate", status: "done", lanes: [{ member: "alpha" }, { member: "beta" }] };

test("a job that this window began is shown before its first event, and nothing is read back of it", async () => {
  board.begin("new", 1);
  await view.show("new");
  page().received.fire({ kind: "ready" });
  expect(page().shown).toMatchObject({ job: "new", seq: -1, status: undefined });
  for (const event of course("new")) session.events.fire(event);
  await vi.waitFor(() => expect(page().shown).toMatchObject(EVERYTHING));
  expect(session.asked).toEqual([]);
});

test("a job that ended before its page was ready is shown with all that was heard of it", async () => {
  board.begin("new", 1);
  await view.show("new");
  for (const event of course("new")) session.events.fire(event);
  page().received.fire({ kind: "ready" });
  expect(page().shown).toMatchObject(EVERYTHING);
});

test("events that come before the answer to the command are not lost", async () => {
  for (const event of course("new")) session.events.fire(event);
  board.begin("new", 1);
  await view.show("new");
  page().received.fire({ kind: "ready" });
  expect(page().shown).toMatchObject(EVERYTHING);
});

test("what was read back of a job does not take the place of what was heard meanwhile", async () => {
  session.answer("ensemble/job", ({ job }) => {
    for (const event of course(job)) session.events.fire(event);
    return kept(job, "done", []);
  });
  await view.show("new");
  page().received.fire({ kind: "ready" });
  expect(page().shown).toMatchObject(EVERYTHING);
});

test("the job that was asked for last is shown, however long the one before takes to be read", async () => {
  let answer: (transcript: Transcript) => void = () => undefined;
  session.answer("ensemble/job", () => new Promise<Transcript>((resolve) => (answer = resolve)));
  const first = view.show("old");
  board.begin("new", 1);
  await view.show("new");
  answer(kept("old", "done", course("old")));
  await first;
  expect(view.shown).toBe("new");
});

test("a job of another window is not shown as one that failed", async () => {
  session.answer("ensemble/job", ({ job }) => kept(job, "running", []));
  await expect(view.show("theirs")).rejects.toThrow("another window");
  expect(board.get("theirs")).toBeUndefined();
});

test("a restored view waits for the server and shows its job again", async () => {
  session.become({ kind: "starting" });
  session.answer("ensemble/job", ({ job }) => kept(job, "done", course(job)));
  const panel = editor.module.window.createWebviewPanel();
  const restored = editor.serializer?.deserializeWebviewPanel(panel, { job: "old" });
  panel.received.fire({ kind: "ready" });
  expect(session.asked).toEqual([]);
  session.become({ kind: "running", version: "0.1.0" });
  await restored;
  expect(panel.shown).toMatchObject({ ...EVERYTHING, job: "old" });
});

test("a restored view of a job that nothing is kept of closes", async () => {
  const panel = editor.module.window.createWebviewPanel();
  await editor.serializer?.deserializeWebviewPanel(panel, { job: "purged" });
  expect(panel.disposed).toBe(true);
});
