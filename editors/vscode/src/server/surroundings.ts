/** The machine and the editor, as the search for the server sees them. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import type { PythonExtension } from "@vscode/python-extension";
import * as vscode from "vscode";
import type { Surroundings } from "./locate.js";

/** Milliseconds that the Python extension gets to say which environment is chosen. */
const PYTHON_ANSWERS_WITHIN = 5_000;

/** The part of the Python extension's API that is used. */
type PythonApi = Pick<PythonExtension, "environments">;

export function surroundings(version: string): Surroundings {
  return {
    configured: vscode.workspace.getConfiguration("ensemble").get("server.path", ""),
    home: homedir(),
    searchPath: process.env["PATH"] ?? "",
    platform: process.platform,
    folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    trusted: vscode.workspace.isTrusted,
    version,
    interpreter,
    isExecutable,
  };
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

async function interpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (extension === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PYTHON_ANSWERS_WITHIN);
  });
  try {
    return await Promise.race([activeInterpreter(extension), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function activeInterpreter(extension: vscode.Extension<PythonApi>): Promise<string | undefined> {
  const { environments } = await extension.activate();
  const chosen = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  const resolved = await environments.resolveEnvironment(chosen);
  return resolved?.executable.uri?.fsPath;
}
