import { describe, expect, test } from "vitest";
import { isFound, locateServer } from "../../src/server/locate.js";
import type { Surroundings } from "../../src/server/locate.js";

/** A machine on which nothing is installed, except the programs named. */
function machine(programs: string[], more: Partial<Surroundings> = {}): Surroundings {
  return {
    configured: "",
    home: "/home/ada",
    searchPath: "/usr/local/bin:/usr/bin",
    platform: "linux",
    folders: ["/work/shop"],
    trusted: true,
    version: "1.2.3",
    interpreter: () => Promise.resolve(undefined),
    isExecutable: (file) => Promise.resolve(programs.includes(file)),
    ...more,
  };
}

const python = (file: string) => ({ interpreter: () => Promise.resolve(file) });

describe("the server is found", () => {
  test("where the setting says, before any other place", async () => {
    const around = machine(["/opt/ensemble-lsp", "/usr/bin/ensemble-lsp"], {
      configured: "/opt/ensemble-lsp",
    });
    expect(await locateServer(around)).toEqual({
      command: "/opt/ensemble-lsp",
      args: ["serve"],
      source: "setting",
    });
  });

  test("in the home directory that a tilde stands for", async () => {
    const around = machine(["/home/ada/bin/ensemble-lsp"], { configured: "~/bin/ensemble-lsp" });
    expect(await locateServer(around)).toMatchObject({ command: "/home/ada/bin/ensemble-lsp" });
  });

  test("in the environment of the Python extension, before PATH", async () => {
    const around = machine(["/work/shop/.venv/bin/ensemble-lsp", "/usr/bin/ensemble-lsp"], {
      ...python("/work/shop/.venv/bin/python"),
    });
    expect(await locateServer(around)).toMatchObject({
      command: "/work/shop/.venv/bin/ensemble-lsp",
      source: "environment",
    });
  });

  test("on PATH, in the order of PATH", async () => {
    const around = machine(["/usr/bin/ensemble-lsp", "/usr/local/bin/ensemble-lsp"]);
    expect(await locateServer(around)).toMatchObject({
      command: "/usr/local/bin/ensemble-lsp",
      source: "path",
    });
  });

  test("by uvx, in the version of this extension and without the workspace's configuration", async () => {
    expect(await locateServer(machine(["/usr/bin/uvx"]))).toEqual({
      command: "/usr/bin/uvx",
      args: ["--no-config", "ensemble-lsp==1.2.3", "serve"],
      source: "uvx",
    });
  });
});

describe("nothing of an untrusted workspace is started", () => {
  test("not the environment that its Python extension chose", async () => {
    const around = machine(["/work/shop/.venv/bin/ensemble-lsp"], {
      trusted: false,
      ...python("/work/shop/.venv/bin/python"),
    });
    expect(isFound(await locateServer(around))).toBe(false);
  });

  test("not a directory of it that stands on PATH", async () => {
    const programs = ["/work/shop/bin/ensemble-lsp", "/work/shop/bin/uvx"];
    const around = machine(programs, { trusted: false, searchPath: "/work/shop/bin:/usr/bin" });
    expect(isFound(await locateServer(around))).toBe(false);
  });

  test("but a folder beside it with the same beginning counts", async () => {
    const around = machine(["/work/shopping/ensemble-lsp"], {
      trusted: false,
      searchPath: "/work/shopping",
    });
    expect(await locateServer(around)).toMatchObject({ command: "/work/shopping/ensemble-lsp" });
  });
});

test("a relative directory on PATH is never searched: it would be the workspace's", async () => {
  const around = machine(["bin/ensemble-lsp", "./ensemble-lsp"], { searchPath: "bin:.:" });
  expect(isFound(await locateServer(around))).toBe(false);
});

test("a setting that leads nowhere is said, and nothing else started instead", async () => {
  const around = machine(["/usr/bin/ensemble-lsp"], { configured: "/opt/gone" });
  expect(await locateServer(around)).toEqual({ tried: ["ensemble.server.path: /opt/gone cannot be run"] });
});

test("without any server, each place that was looked at is named", async () => {
  const place = await locateServer(machine([], python("/usr/bin/python3")));
  expect(place).toEqual({
    tried: [
      "Python environment: no ensemble-lsp in /usr/bin",
      "PATH: no ensemble-lsp",
      "PATH: no uvx that could fetch it",
    ],
  });
});
