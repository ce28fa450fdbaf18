/**
 * Where the server is: the person's setting, the Python environment of the workspace, PATH, then uvx.
 *
 * Everything outside this module's own logic comes in through `Surroundings`, so that each step can be tested.
 */
import * as path from "node:path";

/** How to start the server, without the variables it gets. */
export interface Found {
  readonly command: string;
  readonly args: readonly string[];
  readonly source: "setting" | "environment" | "path" | "uvx";
}

/** Nothing can be started; `tried` is one line for each place, in words. */
export interface NotFound {
  readonly tried: readonly string[];
}

export interface Surroundings {
  /** `ensemble.server.path`, empty when unset. */
  readonly configured: string;
  readonly home: string;
  /** The value of PATH. */
  readonly searchPath: string;
  readonly platform: NodeJS.Platform;
  /** Absolute paths of the workspace's folders. */
  readonly folders: readonly string[];
  readonly trusted: boolean;
  /** The version of the server that belongs to this extension. */
  readonly version: string;
  /** The interpreter that the Python extension has chosen, if there is one. */
  interpreter(): Promise<string | undefined>;
  isExecutable(file: string): Promise<boolean>;
}

const NAME = "ensemble-lsp";

/** Look in each place in turn. */
export async function locateServer(around: Surroundings): Promise<Found | NotFound> {
  const serve = (command: string, source: Found["source"]): Found => ({ command, args: ["serve"], source });
  const configured = around.configured.trim();
  if (configured !== "") {
    const file = expandHome(configured, around.home);
    // The person named one: another that happens to be installed would be a surprise.
    if (!path.isAbsolute(file)) return { tried: [`ensemble.server.path: "${configured}" is not absolute`] };
    if (await around.isExecutable(file)) return serve(file, "setting");
    return { tried: [`ensemble.server.path: ${file} cannot be run`] };
  }
  const tried: string[] = [];
  if (around.trusted) {
    const interpreter = await around.interpreter();
    if (interpreter === undefined) tried.push("Python extension: no environment chosen");
    else {
      const beside = await firstExecutable(around, [path.dirname(interpreter)]);
      if (beside !== undefined) return serve(beside, "environment");
      tried.push(`Python environment: no ${NAME} in ${path.dirname(interpreter)}`);
    }
  } else tried.push("Python environment: not looked at in an untrusted workspace");
  const directories = searched(around);
  const installed = await firstExecutable(around, directories);
  if (installed !== undefined) return serve(installed, "path");
  tried.push(`PATH: no ${NAME}`);
  const uvx = await firstExecutable(around, directories, "uvx");
  if (uvx !== undefined) {
    return { command: uvx, args: ["--no-config", `${NAME}==${around.version}`, "serve"], source: "uvx" };
  }
  tried.push("PATH: no uvx that could fetch it");
  return { tried };
}

export function isFound(place: Found | NotFound): place is Found {
  return "command" in place;
}

/**
 * The directories of PATH that may be searched: absolute ones, and in an untrusted workspace only those
 * outside of it, since a folder's tools can put its own directories on PATH.
 */
function searched(around: Surroundings): string[] {
  const separator = around.platform === "win32" ? ";" : ":";
  return around.searchPath
    .split(separator)
    .filter((directory) => path.isAbsolute(directory))
    .filter((directory) => around.trusted || !around.folders.some((folder) => isInside(directory, folder)));
}

async function firstExecutable(
  around: Surroundings,
  directories: readonly string[],
  name = NAME,
): Promise<string | undefined> {
  const file = around.platform === "win32" ? `${name}.exe` : name;
  for (const directory of directories) {
    const candidate = path.join(directory, file);
    if (await around.isExecutable(candidate)) return candidate;
  }
  return undefined;
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}

function expandHome(file: string, home: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(home, file.slice(1)) : file;
}
