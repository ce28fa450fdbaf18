/** The person's settings as the server wants them: only what was really set, under the settings model's names. */
import * as vscode from "vscode";

/** Settings of the extension itself, which the server does not know. */
const OWN = new Set(["server.path", "trace.server", "review.open", "live.open", "documents.open"]);

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
    if (value === undefined || value === null || OWN.has(key)) continue;
    let table = settings;
    for (const part of parts.slice(0, -1)) {
      table[part] ??= {};
      table = table[part] as Record<string, unknown>;
    }
    table[parts.at(-1) ?? key] = value;
  }
  return settings;
}

/** Reads the section `ensemble`, whose keys are those of the manifest. */
export class Settings {
  private readonly keys: readonly string[];

  constructor(manifest: {
    readonly contributes: { readonly configuration: { readonly properties: object } };
  }) {
    this.keys = Object.keys(manifest.contributes.configuration.properties).map((key) =>
      key.slice("ensemble.".length),
    );
  }

  /** What counts for a folder: the person's values, and in a trusted window those of the workspace over them. */
  private of(folder?: vscode.Uri): Record<string, unknown> {
    const section = vscode.workspace.getConfiguration("ensemble", folder ?? null);
    return explicitSettings(
      this.keys.map((key) => {
        const found = section.inspect(key);
        const workspace: unknown = found?.workspaceFolderValue ?? found?.workspaceValue;
        return {
          key,
          user: found?.globalValue,
          workspace: vscode.workspace.isTrusted ? workspace : undefined,
        };
      }),
    );
  }

  /**
   * The answer to `workspace/configuration`. Nothing in a window that is not trusted: what the server is told
   * there it holds to be the folder's word too, and would warn of keys that it leaves out.
   */
  forFolder(folder?: vscode.Uri): Record<string, unknown> {
    return vscode.workspace.isTrusted ? this.of(folder) : {};
  }

  /**
   * `initializationOptions`. The server holds what stands there to be the person's own, whatever the folder's
   * trust; in a trusted window it asks for everything by `workspace/configuration`, which follows changes.
   */
  initializationOptions(): { settings: Record<string, unknown>; trustedFolders: string[] } {
    const folders = vscode.workspace.workspaceFolders ?? [];
    return vscode.workspace.isTrusted
      ? { settings: {}, trustedFolders: folders.map((folder) => folder.uri.toString()) }
      : { settings: this.of(), trustedFolders: [] };
  }
}
