/** What changes are counted from: a branch of the repository, or whatever git calls a commit. */
import * as vscode from "vscode";
import { git } from "./git.js";

/** Branches and tags of the repository around a folder, the newest first, without the one that is checked out. */
async function names(folder: vscode.Uri): Promise<string[]> {
  const repository = (await git())?.getRepository(folder);
  try {
    const refs = (await repository?.getRefs({ sort: "committerdate" })) ?? [];
    const here = repository?.state.HEAD?.name;
    return [...new Set(refs.flatMap(({ name }) => (name === undefined || name === here ? [] : [name])))];
  } catch {
    // Its extension is another version: the person can still type a name.
    return [];
  }
}

/** Ask what changes are counted from; undefined when the person backed out. */
export async function askBase(folder: vscode.Uri): Promise<string | undefined> {
  const { t } = vscode.l10n;
  const known = await names(folder);
  const box = vscode.window.createQuickPick();
  box.title = t("Ensemble: Review");
  box.placeholder = t("Changes since which branch, tag or commit?");
  const show = (): void => {
    const typed = box.value.trim();
    const labels = typed === "" || known.includes(typed) ? known : [...known, typed];
    box.items = labels.map((label) => ({ label, iconPath: new vscode.ThemeIcon("git-branch") }));
  };
  show();
  return new Promise((resolve) => {
    box.onDidChangeValue(show);
    box.onDidAccept(() => {
      const base = box.activeItems[0]?.label ?? box.value.trim();
      if (base === "") return;
      resolve(base);
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
