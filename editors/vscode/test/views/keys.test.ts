import type { Memento, SecretStorage } from "vscode";
import { expect, test } from "vitest";
import { Keys, isKeyName, namesIn } from "../../src/views/keys.js";

function kept(): { keys: Keys; secrets: Map<string, string>; state: Map<string, unknown> } {
  const secrets = new Map<string, string>();
  const state = new Map<string, unknown>();
  const storage = {
    get: (name: string) => Promise.resolve(secrets.get(name)),
    store: (name: string, value: string) => Promise.resolve(void secrets.set(name, value)),
    delete: (name: string) => Promise.resolve(void secrets.delete(name)),
  };
  const memento = {
    get: (name: string, otherwise: unknown) => state.get(name) ?? otherwise,
    update: (name: string, value: unknown) => Promise.resolve(void state.set(name, value)),
  };
  return {
    keys: new Keys(storage as unknown as SecretStorage, memento as unknown as Memento),
    secrets,
    state,
  };
}

test("keys become variables of the server; only their names stand outside the secret storage", async () => {
  const { keys, state } = kept();
  await keys.set("OPENAI_API_KEY", "sk-secret");
  expect(await keys.variables()).toEqual({ OPENAI_API_KEY: "sk-secret" });
  expect(JSON.stringify([...state])).not.toContain("sk-secret");
});

test("a removed key is gone from both places", async () => {
  const { keys, secrets } = kept();
  await keys.set("OPENAI_API_KEY", "sk-secret");
  await keys.remove("OPENAI_API_KEY");
  expect(await keys.variables()).toEqual({});
  expect([...secrets]).toEqual([]);
});

test("a name that came from elsewhere into the state sets no other variable", async () => {
  const { keys, state } = kept();
  state.set("ensemble.keys", ["LD_PRELOAD", "PYTHONPATH"]);
  expect(keys.kept).toEqual([]);
  expect(await keys.variables()).toEqual({});
});

test.each([
  ["OPENAI_API_KEY", true],
  ["HF_TOKEN", true],
  ["AWS_SECRET_ACCESS_KEY", true],
  ["PATH", false],
  ["LD_PRELOAD", false],
  ["openai_api_key", false],
  ["A_KEY\nB", false],
])("%j may hold a key: %s", (name, may) => {
  expect(isKeyName(name)).toBe(may);
});

test("the variables that a panel misses are read out of its words", () => {
  expect(namesIn(["OPENAI_API_KEY is missing", "not needed", "MISTRAL_API_KEY is set"])).toEqual([
    "OPENAI_API_KEY",
    "MISTRAL_API_KEY",
  ]);
});
