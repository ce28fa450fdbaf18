import { beforeEach, expect, test, vi } from "vitest";
import type { ServerCommands } from "../../src/client/serverCommands.js";

interface Address {
  scheme: string;
  query: string;
  path: string;
  fsPath: string;
  toString: () => string;
}

const editor = vi.hoisted(() => ({
  run: undefined as ((from?: unknown) => Promise<void>) | undefined,
  documents: [] as { uri: unknown }[],
  repositories: [] as unknown[],
  said: [] as string[],
  picked: [] as string[][],
  gitIsThere: true,
}));

vi.mock("vscode", () => ({
  commands: {
    registerCommand: (_name: string, run: (from?: unknown) => Promise<void>) => {
      editor.run = run;
      return { dispose: () => undefined };
    },
  },
  extensions: {
    getExtension: () =>
      editor.gitIsThere
        ? {
            activate: () => ({
              getAPI: () => ({ repositories: editor.repositories, getRepository: () => null }),
            }),
          }
        : undefined,
  },
  l10n: { t: (text: string, ...words: string[]) => text.replace("{0}", words[0] ?? "") },
  ThemeIcon: Object,
  window: {
    showWarningMessage: (text: string) => editor.said.push(text),
    showErrorMessage: (text: string) => editor.said.push(text),
    showQuickPick: (rows: { label: string; uri: unknown }[]) => {
      editor.picked.push(rows.map((row) => row.label));
      return Promise.resolve(rows.at(-1));
    },
  },
  workspace: {
    get textDocuments() {
      return editor.documents;
    },
  },
}));

const { registerCommitMessage } = await import("../../src/actions/commitMessage.js");

function address(text: string, scheme = "file", query = "", path = text): Address {
  return { scheme, query, path, fsPath: path, toString: () => text };
}

const folder = (name: string): Address => address(`file:///work/${name}`, "file", "", `/work/${name}`);

const box = (name: string): { uri: Address } => ({
  uri: address(
    `vscode-scm:box-of-${name}`,
    "vscode-scm",
    `rootUri=${encodeURIComponent(`file:///work/${name}`)}`,
  ),
});

let sent: [string, object][];

beforeEach(() => {
  sent = [];
  Object.assign(editor, {
    documents: [{ uri: folder("shop/cart.py") }, box("shop"), box("billing")],
    repositories: [{ rootUri: folder("shop") }, { rootUri: folder("billing") }],
    said: [],
    picked: [],
    gitIsThere: true,
  });
  const run = (command: string, argument: object) => sent.push([command, argument]);
  registerCommitMessage({ run } as unknown as ServerCommands);
});

const message = (name: string) => [
  "ensemble.rewrite",
  { uri: `vscode-scm:box-of-${name}`, commit: `file:///work/${name}` },
];

test("the repository whose button was pressed is the one whose message is rewritten", async () => {
  await editor.run?.({ rootUri: folder("billing") });
  expect(sent).toEqual([message("billing")]);
  expect(editor.picked).toEqual([]);
});

test("from the palette the only repository needs no question", async () => {
  editor.repositories.pop();
  await editor.run?.();
  expect(sent).toEqual([message("shop")]);
});

test("from the palette one of several repositories is asked for", async () => {
  await editor.run?.();
  expect(editor.picked).toEqual([["shop", "billing"]]);
  expect(sent).toEqual([message("billing")]);
});

test("without git the person is told", async () => {
  editor.gitIsThere = false;
  await editor.run?.();
  expect(editor.said).toEqual(["Ensemble: no git repository is open."]);
  expect(sent).toEqual([]);
});

test("a repository without a box is named", async () => {
  await editor.run?.({ rootUri: folder("docs") });
  expect(editor.said).toEqual(["Ensemble: the box for the commit message of /work/docs cannot be reached."]);
  expect(sent).toEqual([]);
});
