import { expect, test } from "vitest";
import { MESSAGE_PATH, repositoryIn } from "../../src/inputBox.js";

test("the box for a commit message names the folder of its repository", () => {
  const folder = "file:///shop%20%26%20co";
  expect(repositoryIn("vscode-scm", `rootUri=${encodeURIComponent(folder)}`)).toBe(folder);
});

test.each([
  ["a file", "file", "rootUri=file%3A%2F%2F%2Fshop"],
  ["a box of something else than a repository", "vscode-scm", ""],
])("%s is the box of no repository", (_, scheme, query) => {
  expect(repositoryIn(scheme, query)).toBeUndefined();
});

test.each([
  ["COMMIT_EDITMSG", true],
  ["libs/shop/COMMIT_EDITMSG", true],
  [".git/COMMIT_EDITMSG", false],
  ["libs/shop/.git/COMMIT_EDITMSG", false],
  ["COMMIT_EDITMSG.md", false],
])("%s is the path of a message in a box: %s", (path, expected) => {
  expect(MESSAGE_PATH.test(path)).toBe(expected);
});
