/**
 * Stands for the Python extension in the tests' editor: says which environment is chosen through the interface that the
 * real one publishes. The setting names the interpreter; without it no environment is known.
 */
import type { PythonExtension } from "@vscode/python-extension";
import * as vscode from "vscode";

type Api = Pick<PythonExtension["environments"], "getActiveEnvironmentPath" | "resolveEnvironment">;
type Resolved = Awaited<ReturnType<Api["resolveEnvironment"]>>;

export function activate(): { environments: Api } {
  return {
    environments: {
      getActiveEnvironmentPath: () => {
        const path = vscode.workspace.getConfiguration("python").get("defaultInterpreterPath", "");
        return { id: path, path };
      },
      resolveEnvironment: (environment) => {
        const path =
          typeof environment === "string" ? environment : "path" in environment ? environment.path : "";
        const executable = { uri: vscode.Uri.file(path) };
        return Promise.resolve(path === "" ? undefined : ({ executable } as Resolved));
      },
    },
  };
}
