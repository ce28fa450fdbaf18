import { beforeEach, expect, test, vi } from "vitest";
import type { Diagnostic, Memento } from "vscode";
import { Emitter } from "../../src/emitter.js";
import type { JobBoard } from "../../src/live/jobBoard.js";
import type { Finding, JobEvent } from "../../src/protocol.js";
import { FindingsView } from "../../src/views/findings.js";
import type { FakeTree } from "../support/fakeTree.js";

const editor = await vi.hoisted(async () => {
  const support = await import("../support/fakeTree.js");
  return new support.FakeTreeEditor();
});
vi.mock("vscode", () => editor.module);

function place(id: string): Diagnostic {
  const start = { line: 2, character: 4 };
  return {
    source: "ensemble",
    code: "fault-location",
    message: "Place 1: total",
    severity: 2,
    range: { start, end: start },
    data: id,
  } as unknown as Diagnostic;
}

const heard = new Emitter<{ event: JobEvent }>();
const board = { onEvent: heard.event, get: () => ({ action: "locate" }) } as unknown as JobBoard;
const state = { get: (_key: string, usual: unknown) => usual } as unknown as Memento;

function tell(event: object): void {
  heard.fire({ event: { job: "search", seq: 1, time: 1, ...event } as JobEvent });
}

/** A search for a fault ended, and what it found is there. */
function locate(): void {
  tell({
    kind: "finding",
    finding: { id: "1", evidence: [], title: "Place 1: total" } as unknown as Finding,
  });
  tell({ kind: "finished", status: "done" });
  editor.diagnostics = [place("1")];
  editor.changed.fire(undefined);
}

let tree: FakeTree;

beforeEach(() => {
  editor.reset();
  new FindingsView(board, state);
  tree = editor.tree();
});

test("the places of a fault come into view once the editor has them", async () => {
  locate();
  await vi.waitFor(() => expect(tree.revealed.map((each) => each.id)).toEqual(["1"]));
  editor.changed.fire(undefined);
  await Promise.resolve();
  expect(tree.revealed).toHaveLength(1);
});

test("places come into view although diagnostics change while they are looked for", async () => {
  tree.meanwhile = () => editor.changed.fire(undefined);
  locate();
  await vi.waitFor(() => expect(tree.revealed.map((each) => each.id)).toEqual(["1"]));
  expect(tree.refused).toBe(0);
});

test("a place that was renamed while it was looked for is looked for again", async () => {
  tree.meanwhile = () => {
    editor.diagnostics = [place("2")];
    editor.changed.fire(undefined);
  };
  tell({ kind: "finding", finding: { id: "2", evidence: [], title: "Place 1" } as unknown as Finding });
  locate();
  await vi.waitFor(() => expect(tree.revealed.map((each) => each.id)).toEqual(["2"]));
  expect(tree.refused).toBe(1);
});

test("the view comes up even if the editor never finds the place in it", async () => {
  tree.reveal = () => Promise.reject(new Error("Cannot resolve tree item"));
  locate();
  await vi.waitFor(() =>
    expect(editor.commands).toContainEqual(["ensemble.findings.focus", { preserveFocus: true }]),
  );
});
