/**
 * Providers' keys. They stand in the editor's SecretStorage and reach the server as variables of its environment
 * and in no other way: not in settings, not in messages, not in a log.
 */
import * as vscode from "vscode";
import type { EnvironmentSource, Session } from "../session.js";

/** SecretStorage cannot list what it holds, so the names (never the keys) are remembered beside it. */
const NAMES = "ensemble.keys";

const PREFIX = "ensemble.key.";

/** A name that a key may have: what providers call theirs. Others could change how the server itself runs. */
const NAME = /^[A-Z][A-Z0-9_]*(?:_API_KEY|_TOKEN|_ACCESS_KEY_ID|_SECRET_ACCESS_KEY|_KEY)$/;

/** Offered where the panel names none. */
const COMMON = [
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "GEMINI_API_KEY",
  "MISTRAL_API_KEY",
  "DEEPSEEK_API_KEY",
  "OPENROUTER_API_KEY",
  "XAI_API_KEY",
  "GROQ_API_KEY",
];

export class Keys implements EnvironmentSource {
  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly names: vscode.Memento,
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
export function environmentWithKeys(context: vscode.ExtensionContext): Keys {
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

/** Ask for a key and keep it; the server starts again with it. `wanted` are offered first. */
export async function askForKey(keys: Keys, session: Session, wanted: readonly string[]): Promise<void> {
  const { t } = vscode.l10n;
  const other = t("Another variable…");
  const names = [...new Set([...wanted, ...COMMON])];
  const chosen = await vscode.window.showQuickPick(
    [
      ...names.map((name) => ({
        label: name,
        description: keys.kept.includes(name) ? t("kept in this editor") : "",
      })),
      { label: other, description: "" },
    ],
    {
      title: t("Ensemble: add a provider's key"),
      placeHolder: t("The variable that the provider's key has"),
    },
  );
  if (chosen === undefined) return;
  const name = chosen.label === other ? await askForName() : chosen.label;
  if (name === undefined) return;
  const key = await vscode.window.showInputBox({
    title: t("Key for {0}", name),
    prompt: t(
      "Kept in this editor's secret storage; given to the server as a variable of its environment only.",
    ),
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || key.trim() === "") return;
  await keys.set(name, key.trim());
  await session.restart();
}

async function askForName(): Promise<string | undefined> {
  const { t } = vscode.l10n;
  return await vscode.window.showInputBox({
    title: t("Name of the variable"),
    placeHolder: "MY_PROVIDER_API_KEY",
    validateInput: (text) =>
      isKeyName(text) ? undefined : t("A name in capitals that ends in _API_KEY, _KEY or _TOKEN"),
  });
}

/** Forget a key; the server starts again without it. */
export async function forgetKey(keys: Keys, session: Session): Promise<void> {
  const { t } = vscode.l10n;
  const name = await vscode.window.showQuickPick([...keys.kept], {
    title: t("Ensemble: remove a key"),
    placeHolder: keys.kept.length === 0 ? t("No keys are kept in this editor") : "",
  });
  if (name === undefined) return;
  await keys.remove(name);
  await session.restart();
}
