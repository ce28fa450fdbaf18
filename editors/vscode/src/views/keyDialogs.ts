/** Asking for providers' keys. */
import * as vscode from "vscode";
import type { Session } from "../session.js";
import { type Keys, isKeyName } from "./keys.js";

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
