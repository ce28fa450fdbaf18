/** The person's settings as the server wants them: only what was really set, under the settings model's names. */
import * as vscode from "vscode";

/** Settings of the extension itself, which the server does not know. */
const OWN = new Set(["server", "trace"]);

/** What one key of the section says; `workspace` is nothing in a folder that is not trusted. */
export interface Said {
  readonly key: string;
  readonly user: unknown;
  readonly workspace: unknown;
}

/**
 * Put what was said together as nested tables. Defaults are left out, since they would win over the person's
 * `config.toml`; so are the extension's own keys.
 */
export function explicitSettings(said: Iterable<Said>): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const { key, user, workspace } of said) {
    const value = workspace ?? user;
    const parts = key.split(".");
    if (value === undefined || value === null || OWN.has(parts[0] ?? "")) continue;
    let table = settings;
    for (const part of parts.slice(0, -1)) {
      table[part] ??= {};
      table = table[part] as Record<string, unknown>;
    }
    table[parts.at(-1) ?? key] = value;
  }
  return settings;
}

/** Read the section `ensemble`; `keys` without the section's name. */
export function currentSettings(keys: readonly string[], trusted: boolean): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration("ensemble");
  return explicitSettings(
    keys.map((key) => {
      const found = section.inspect(key);
      const workspace: unknown = trusted ? (found?.workspaceFolderValue ?? found?.workspaceValue) : undefined;
      return { key, user: found?.globalValue, workspace };
    }),
  );
}
