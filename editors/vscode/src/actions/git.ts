/** What is used of the API of VS Code's own Git extension. */
import * as vscode from "vscode";

export interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly HEAD?: { readonly name?: string } };
  getRefs: (query: { sort: "committerdate" }) => Promise<readonly { readonly name?: string }[]>;
}

export interface Git {
  readonly repositories: readonly Repository[];
  getRepository: (uri: vscode.Uri) => Repository | null;
}

interface Exports {
  getAPI: (version: 1) => Git;
}

/** The Git extension; undefined where it is not there, as in a folder that is not trusted, or switched off. */
export async function git(): Promise<Git | undefined> {
  try {
    return (await vscode.extensions.getExtension<Exports>("vscode.git")?.activate())?.getAPI(1);
  } catch {
    return undefined;
  }
}
