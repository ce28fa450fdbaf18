/** One VS Code server for all scenarios, with the packaged extension installed. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { until } from "./condition.js";
import { chromium, extension, host, node, output, virtualEnvironment, vscodeServer } from "./paths.js";
import { endGroup, freePort, run } from "./processes.js";

export interface Host {
  /** `http://127.0.0.1:PORT` */
  address: string;
  /** Folder of the server's settings and extensions, and of everything that scenarios write. */
  home: string;
  userData: string;
  /** First on the PATH of the editor: programs that a scenario installs. */
  programs: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    host: Host;
  }
}

/** The extension that stands for the Python extension; it is silent until a setting names an interpreter. */
async function python(home: string): Promise<string> {
  const folder = join(home, "python");
  const source = join(extension, "e2e", "python");
  cpSync(join(source, "package.json"), join(folder, "package.json"));
  writeFileSync(join(folder, "README.md"), "Stands for the Python extension in tests.\n");
  await build({
    entryPoints: [join(source, "extension.ts")],
    outfile: join(folder, "extension.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    logLevel: "warning",
  });
  const file = join(home, "python.vsix");
  await run(node, [vsce, "package", "--allow-missing-repository", "--skip-license", "--out", file], {
    cwd: folder,
  });
  return file;
}

const MISSING = "make vscode-host (and Chromium, from your system's packages)";

const vsce = join(extension, "node_modules", "@vscode", "vsce", "vsce");

/** Package the extension as it would be published, and return the file. */
async function packaged(): Promise<string> {
  const given = process.env["ENSEMBLE_VSIX"];
  if (given) return given;
  const file = join(output, "ensemble.vsix");
  await run("npm", ["run", "build"], { cwd: extension });
  await run(node, [vsce, "package", "--no-dependencies", "--out", file], { cwd: extension });
  return file;
}

export async function startHost(): Promise<{ host: Host; stop: () => Promise<void> }> {
  for (const needed of [node, vscodeServer, chromium, join(virtualEnvironment, "ensemble-lsp")]) {
    if (!existsSync(needed)) throw new Error(`${needed} is not there: ${MISSING}`);
  }
  const home = mkdtempSync(join(tmpdir(), "ensemble-vscode-"));
  const userData = join(home, "data");
  const extensions = join(home, "extensions");
  mkdirSync(userData, { recursive: true });
  const common = [
    "--accept-server-license-terms",
    "--user-data-dir",
    userData,
    "--extensions-dir",
    extensions,
  ];
  const programs = join(home, "programs");
  mkdirSync(programs);
  // As if a terminal had started it: then no login shell is asked for a PATH in place of ours.
  const environment = { ...scrubbed(), PATH: searchPath(programs), VSCODE_CLI: "1" };
  for (const vsix of [await packaged(), await python(home)]) {
    await run(node, [vscodeServer, ...common, "--install-extension", vsix, "--force"], { env: environment });
  }

  const port = await freePort();
  const address = `http://127.0.0.1:${String(port)}`;
  const log = createWriteStream(join(output, "vscode-server.log"));
  const server: ChildProcess = spawn(
    node,
    [
      vscodeServer,
      ...common,
      "--host=127.0.0.1",
      `--port=${String(port)}`,
      "--without-connection-token",
      "--enable-smoke-test-driver",
      "--telemetry-level=off",
      "--disable-experiments",
      "--reconnection-grace-time=1",
    ],
    { env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"], cwd: host },
  );
  server.stdout?.pipe(log);
  server.stderr?.pipe(log);
  await until("VS Code's server answers", async () => (await fetch(address)).ok);
  return {
    host: { address, home, userData, programs },
    stop: async () => {
      await endGroup(server);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Our own environment without anybody's keys, proxies and settings of the product. */
function scrubbed(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/(_api_key|_api_base|_base_url|_proxy)$/i.test(name) &&
        !/^(OPENAI_|OLLAMA_|ENSEMBLE_|VITEST|NODE_)/.test(name) &&
        name !== "TEST",
    ),
  );
}

/** The PATH of the editor: what scenarios install comes first, and no server that this machine happens to have. */
function searchPath(programs: string): string {
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  return [programs, ...directories.filter((each) => !existsSync(join(each, "ensemble-lsp")))].join(delimiter);
}

/** vitest's global setup. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = await startHost();
  project.provide("host", started.host);
  return started.stop;
}
