/** What a scenario plays on: a fresh folder, a panel of scripted models, a server with a state of its own, a window. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Browser, type Page, chromium as driver } from "playwright-core";
import { afterAll, inject, test } from "vitest";
import { MARK } from "../inside/lines.js";
import { until } from "./condition.js";
import type { Host } from "./host.js";
import { type Panel, type Script, seats, startPanel } from "./panel.js";
import { chromium, extension, output, pictures, virtualEnvironment } from "./paths.js";
import { processesWith } from "./processes.js";
import { Window } from "./window.js";

export { BUG, CART, REPAIR } from "./cart.js";

export interface Setting {
  /** Files of the folder, by their path in it. */
  files?: Record<string, string>;
  /** What the models say; without it nobody is seated. */
  says?: Script;
  /** Ids of the members; two of different families by default. */
  members?: readonly string[];
  /** Further settings of the person, by their full name. */
  settings?: Record<string, unknown>;
  /** Make the folder a repository and commit the files. */
  git?: boolean;
  /** Ask about workspace trust as an editor does that sees the folder for the first time. */
  untrusted?: boolean;
  /** The command that starts the server; the repository's own by default. */
  server?: string;
  /** Settings that name files of the scenario; `home` is its own folder. */
  settingsIn?: (home: string) => Record<string, unknown>;
  /**
   * Programs that are there while this scenario plays, and what a shell runs as them: names come first on the editor's
   * PATH, paths are paths. `launcher` starts the repository's own server with this scenario's state.
   */
  programs?: (launcher: string, home: string) => Record<string, string>;
  /** Further variables of the server. */
  environment?: Record<string, string>;
  size?: { width: number; height: number };
  /** A bundle of tests that the window's extension host runs, instead of a person at its keys. */
  inside?: Inside;
  /** Milliseconds, for what is long by itself; else the time that every scenario has. */
  timeout?: number;
}

export interface Inside {
  /** The bundle's file; it exports `run`. */
  tests: string;
  /** A line that the tests printed. */
  line: (text: string) => void;
  /** The tests ended; 0 when all of them passed. */
  exit: (code: number) => void;
}

export interface Stage {
  window: Window;
  folder: string;
  /** Everything of this scenario: the folder, the server's state, settings. */
  home: string;
  panel: Panel;
  /** Read a file of the folder as it is on disk. */
  read: (path: string) => string;
  write: (path: string, text: string) => void;
  git: (...args: string[]) => string;
  /** Ids of this scenario's server or engine processes: `"serve"` or `"ensemble_lsp.engine"`. */
  processes: (text: string) => number[];
  /** Keep a picture: in the output folder, or docs/images when pictures are asked for. */
  picture: (name: string) => Promise<void>;
  setTheme: (theme: Theme) => void;
}

export type Theme = "dark" | "light" | "contrast";

const THEMES: Record<Theme, string> = {
  dark: "Default Dark Modern",
  light: "Default Light Modern",
  contrast: "Default High Contrast",
};

const QUIET = {
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "files.autoSave": "off",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "chat.disableAIFeatures": true,
  "window.commandCenter": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "remote.autoForwardPorts": false,
  "editor.minimap.enabled": false,
  "editor.hover.delay": 100,
  "editor.autoClosingBrackets": "never",
  "editor.autoIndent": "none",
  "git.openRepositoryInParentFolders": "never",
  "git.autofetch": false,
  "explorer.confirmDelete": false,
};

let browser: Browser | undefined;

afterAll(async () => {
  await browser?.close();
  browser = undefined;
});

async function openBrowser(): Promise<Browser> {
  browser ??= await driver.launch({
    executablePath: chromium,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-dev-shm-usage",
    ],
  });
  return browser;
}

/** A test in a real VS Code window. */
export function scenario(name: string, setting: Setting, play: (stage: Stage) => Promise<void>): void {
  const options = setting.timeout === undefined ? {} : { timeout: setting.timeout };
  test(name, options, async () => {
    const host = inject("host");
    const home = mkdtempSync(join(realpathSync(host.home), "scenario-"));
    const panel = await startPanel(home, setting.says ?? {});
    let page: Page | undefined;
    try {
      const stage = await set(host, home, panel, setting);
      page = stage.window.page;
      await play(stage);
    } catch (error) {
      const file = join(output, `failed-${name.replaceAll(/\W+/g, "-")}.png`);
      await page?.screenshot({ path: file }).catch(() => undefined);
      throw error;
    } finally {
      await page?.context().close();
      panel.stop();
      rmSync(host.programs, { recursive: true, force: true });
      await leave(home);
    }
  });
}

async function set(host: Host, home: string, panel: Panel, setting: Setting): Promise<Stage> {
  const folder = join(home, "shop");
  mkdirSync(folder);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(setting.files ?? {})) write(path, text);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  if (setting.git) {
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "Begin");
  }
  writeSettings(host, home, panel, setting);
  const context = await (
    await openBrowser()
  ).newContext({
    viewport: setting.size ?? { width: 1280, height: 800 },
    locale: "en-US",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const window = new Window(page, host.address);
  const payload = setting.inside && (await testsInside(page, host, setting.inside));
  await window.open(folder, payload);
  return {
    window,
    folder,
    home,
    panel,
    read: (path) => readFileSync(join(folder, path), "utf8"),
    write,
    git,
    processes: (text) => processesWith("ENSEMBLE_STATE_DIR", join(home, "state"), text),
    picture: async (name) => {
      // Not in the middle of something that fades in; what turns for ever does not count.
      await page.evaluate(async () => {
        const passing = document
          .getAnimations()
          .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
        await Promise.allSettled(passing.map((each) => each.finished));
      });
      await page.screenshot({ path: join(pictures, `vscode-${name}.png`) });
    },
    setTheme: (theme) => {
      writeSettings(host, home, panel, {
        ...setting,
        settings: { ...setting.settings, "workbench.colorTheme": THEMES[theme] },
      });
    },
  };
}

/** Listen to tests in the extension host; returns what the window's address must say for them to run. */
async function testsInside(page: Page, host: Host, inside: Inside): Promise<[string, string][]> {
  await page.exposeFunction("codeAutomationLog", (_level: string, [first]: readonly unknown[]) => {
    // The workbench's own log comes the same way.
    if (typeof first === "string" && first.startsWith(MARK)) inside.line(first.slice(MARK.length));
  });
  await page.exposeFunction("codeAutomationExit", inside.exit);
  const remote = (path: string) => `vscode-remote://${new URL(host.address).host}${path}`;
  return [
    ["extensionDevelopmentPath", remote(extension)],
    ["extensionTestsPath", remote(inside.tests)],
  ];
}

/** Write the person's settings, and those of the machine that only it may have: which server to start. */
function writeSettings(host: Host, home: string, panel: Panel, setting: Setting): void {
  const launcher = join(home, "ensemble-lsp");
  const variables: Record<string, string> = {
    ENSEMBLE_STATE_DIR: join(home, "state"),
    ENSEMBLE_CACHE_DIR: join(home, "cache"),
    ENSEMBLE_CONFIG_DIR: join(home, "config"),
    ENSEMBLE_POLICY_FILE: join(home, "policy.toml"),
    ENSEMBLE_LOCAL_SERVERS: "",
    ...setting.environment,
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  writeFileSync(
    launcher,
    `#!/bin/sh\n${exports.join("")}exec '${join(virtualEnvironment, "ensemble-lsp")}' "$@"\n`,
  );
  chmodSync(launcher, 0o755);
  mkdirSync(host.programs, { recursive: true });
  for (const [name, script] of Object.entries(setting.programs?.(launcher, home) ?? {})) {
    const file = resolve(host.programs, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const members = setting.members ?? ["alpha", "beta"];
  const settings = {
    ...QUIET,
    "workbench.colorTheme": THEMES.dark,
    "security.workspace.trust.enabled": setting.untrusted ?? false,
    "ensemble.server.path": setting.server ?? launcher,
    // Scenarios ask the same questions again: every one must reach the models.
    "ensemble.store.replies": false,
    ...(setting.says ? { "ensemble.panel": seats(panel.api, members) } : {}),
    ...setting.settings,
    ...setting.settingsIn?.(home),
  };
  for (const place of ["User", "Machine"]) {
    mkdirSync(join(host.userData, place), { recursive: true });
    writeFileSync(join(host.userData, place, "settings.json"), JSON.stringify(settings, null, 2));
  }
}

/** Wait until the server and the engine of a scenario are gone: they end with their window. */
async function leave(home: string): Promise<void> {
  const left = () => processesWith("ENSEMBLE_STATE_DIR", join(home, "state"));
  await until("the server ends with its window", () => left().length === 0, 30_000).catch(
    (error: unknown) => {
      for (const process_ of left()) process.kill(process_, "SIGKILL");
      throw error;
    },
  );
}

/** Everything that is written below a folder, but for one that is left out: where a secret must not stand. */
export function everything(folder: string, except = ""): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => except === "" || !path.startsWith(except))
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}
