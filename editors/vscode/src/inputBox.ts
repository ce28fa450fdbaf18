/** The box of the source control view in which a commit message is written: a document, though no file. */

export const INPUT_BOX = "vscode-scm";

/** Matches the path by which the server speaks of a message in such a box: git's own name, where git has no file. */
export const MESSAGE_PATH = /^(?!(?:.*\/)?\.git\/)(?:.*\/)?COMMIT_EDITMSG$/;

/** The folder (URI) of the repository whose box an address is that of; undefined for any other document. */
export function repositoryIn(scheme: string, query: string): string | undefined {
  return scheme === INPUT_BOX ? (new URLSearchParams(query).get("rootUri") ?? undefined) : undefined;
}
