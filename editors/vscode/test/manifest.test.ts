import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { generated } from "../scripts/protocol.mjs";
import { bundle } from "../scripts/l10n.mjs";
import { settings } from "../scripts/settings.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Item {
  readonly command?: string;
  readonly when?: string;
  readonly key?: string;
}

interface Manifest {
  readonly version: string;
  readonly icon: string;
  readonly main: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: string[] };
  };
  readonly contributes: {
    readonly commands: { readonly command: string; readonly enablement?: string }[];
    readonly configuration: { readonly properties: Record<string, { readonly scope: string }> };
    readonly menus: Record<string, Item[]>;
    readonly keybindings: Item[];
  };
}

const manifest = JSON.parse(read("package.json")) as Manifest;
const { contributes } = manifest;
const commands = contributes.commands.map(({ command }) => command);

test("the types of the messages are those of the server (npm run generate)", async () => {
  const should = (await generated()).split("\n");
  const is = read("src/protocol.generated.ts").split("\n");
  const line = should.findIndex((each, index) => each !== is[index]);
  expect([line, is[line]]).toEqual([-1, undefined]);
  expect(is).toHaveLength(should.length);
});

test("the settings are those of the server's model (npm run generate)", () => {
  const { properties, restricted } = settings();
  expect(contributes.configuration.properties).toEqual(properties);
  expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual(restricted);
});

test("which program is started only the person's machine says", () => {
  expect(contributes.configuration.properties["ensemble.server.path"]?.scope).toBe("machine");
  expect(manifest.capabilities.untrustedWorkspaces.supported).toBe("limited");
});

test("the version is the server's, since it is the one that uvx fetches", () => {
  const python = readFileSync(join(root, "../../server/ensemble_lsp/__init__.py"), "utf8");
  expect(python).toContain(`__version__ = "${manifest.version}"`);
});

describe("commands", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(join("src", file)))
    .join("\n");

  test("none of ours has the name of one of the server's, which the client registers itself", () => {
    expect(commands.filter((command) => !command.startsWith("ensemble.ui."))).toEqual([]);
  });

  test("each that is contributed is registered somewhere", () => {
    const stems = commands.map((command) => command.slice("ensemble.ui.".length));
    const places = new Set([
      "fix",
      "review",
      "explain",
      "test",
      "secure",
      "locate",
      "refactor",
      "rewrite",
      "debate",
    ]);
    const missing = stems.filter((stem) => !places.has(stem) && !sources.includes(`"ensemble.ui.${stem}"`));
    expect(missing).toEqual([]);
  });

  test("menus and keys name only commands that are contributed", () => {
    const named = [...Object.values(contributes.menus).flat(), ...contributes.keybindings]
      .map(({ command }) => command)
      .filter((command) => command !== undefined);
    expect(named.filter((command) => !commands.includes(command))).toEqual([]);
  });

  test("no key works everywhere: each says when", () => {
    expect(contributes.keybindings.filter(({ when }) => (when ?? "") === "")).toEqual([]);
  });
});

describe("words", () => {
  test("every text of the manifest that can be translated has its English", () => {
    const english = JSON.parse(read("package.nls.json")) as Record<string, string>;
    const wanted = [...read("package.json").matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? "");
    expect(wanted.filter((key) => !(key in english))).toEqual([]);
    expect(Object.keys(english).filter((key) => !wanted.includes(key))).toEqual([]);
  });

  test("every text of the code that can be translated is in the bundle (npm run generate)", () => {
    expect(read("l10n/bundle.l10n.json")).toBe(bundle());
  });
});

describe("the package", () => {
  const vsce = join(root, "node_modules", "@vscode", "vsce", "vsce");
  const files = execFileSync(process.execPath, [vsce, "ls", "--no-dependencies"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ENSEMBLE_PACKAGING: "list" },
  })
    .trim()
    .split("\n");

  test("holds what runs and what is read, and nothing else", () => {
    const allowed =
      /^(package(\.nls)?\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/.+\.(cjs|js|css)|icons\/(icon\.png|ensemble\.svg)|l10n\/.+\.json|media\/.+|walkthrough\/.+)$/;
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE", manifest.icon]));
  });

  test("its icon is there", () => {
    expect(existsSync(join(root, manifest.icon))).toBe(true);
  });
});
