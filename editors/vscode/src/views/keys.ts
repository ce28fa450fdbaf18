/**
 * Providers' keys. They stand in the editor's SecretStorage and reach the server as variables of its environment
 * and in no other way: not in settings, not in messages, not in a log.
 */
import type { ExtensionContext, Memento, SecretStorage } from "vscode";
import type { EnvironmentSource } from "../session.js";

/** SecretStorage cannot list what it holds, so the names (never the keys) are remembered beside it. */
const NAMES = "ensemble.keys";

const PREFIX = "ensemble.key.";

/** A name that a key may have: what providers call theirs. Others could change how the server itself runs. */
const NAME = /^[A-Z][A-Z0-9_]*(?:_API_KEY|_TOKEN|_ACCESS_KEY_ID|_SECRET_ACCESS_KEY|_KEY)$/;

export class Keys implements EnvironmentSource {
  constructor(
    private readonly secrets: SecretStorage,
    private readonly names: Memento,
  ) {}

  /** The names of the keys that are kept here. */
  get kept(): readonly string[] {
    return this.names.get<readonly string[]>(NAMES, []).filter((name) => NAME.test(name));
  }

  async variables(): Promise<Readonly<Record<string, string>>> {
    const found = await Promise.all(
      this.kept.map(async (name) => [name, await this.secrets.get(PREFIX + name)] as const),
    );
    return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  async set(name: string, key: string): Promise<void> {
    await this.secrets.store(PREFIX + name, key);
    await this.names.update(NAMES, [...new Set([...this.kept, name])].sort());
  }

  async remove(name: string): Promise<void> {
    await this.secrets.delete(PREFIX + name);
    await this.names.update(
      NAMES,
      this.kept.filter((each) => each !== name),
    );
  }
}

/** The server's variables out of SecretStorage. */
export function environmentWithKeys(context: ExtensionContext): Keys {
  return new Keys(context.secrets, context.globalState);
}

/** Whether a variable may hold a key. */
export function isKeyName(name: string): boolean {
  return NAME.test(name);
}

/** Names of variables out of the panel's words: "OPENAI_API_KEY is missing". */
export function namesIn(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((each) => each.split(/[^A-Z0-9_]+/)).filter(isKeyName))];
}
