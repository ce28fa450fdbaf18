/** Asking for an instruction, with what was asked before to choose from. */
import * as vscode from "vscode";

/** How many instructions are remembered; older ones are forgotten. */
const REMEMBERED = 30;

const KEY = "ensemble.instructions";

/** Put a text in front of the remembered ones, once. */
export function remembered(before: readonly string[], text: string): string[] {
  return [text, ...before.filter((each) => each !== text)].slice(0, REMEMBERED);
}

/** The rows below the box: what is typed first, then what was asked before and contains it. */
export function rows(typed: string, before: readonly string[]): string[] {
  const wanted = typed.trim();
  const others = before.filter(
    (each) => each !== wanted && each.toLowerCase().includes(wanted.toLowerCase()),
  );
  return wanted === "" ? others : [wanted, ...others];
}

export class Instructions {
  constructor(private readonly memento: vscode.Memento) {}

  /**
   * Ask for one instruction; undefined when the box was closed. With `optional` an empty one is an answer too.
   */
  ask(title: string, placeholder: string, optional = false): Promise<string | undefined> {
    const before = this.memento.get<string[]>(KEY, []);
    const box = vscode.window.createQuickPick();
    box.title = title;
    box.placeholder = placeholder;
    box.ignoreFocusOut = true;
    const show = (): void => {
      box.items = rows(box.value, before).map((label) => ({
        label: label.replaceAll(/\s+/g, " "),
        // The text itself: a label turns `$(name)` into an icon.
        text: label,
        alwaysShow: true,
        iconPath: new vscode.ThemeIcon(label === box.value.trim() ? "arrow-right" : "history"),
      }));
      if (optional && box.value.trim() === "") box.activeItems = [];
    };
    show();
    return new Promise((resolve) => {
      box.onDidChangeValue(show);
      box.onDidAccept(() => {
        const chosen = box.activeItems[0] as (vscode.QuickPickItem & { text: string }) | undefined;
        const text = (chosen?.text ?? box.value).trim();
        if (text === "" && !optional) return;
        resolve(text);
        if (text !== "") void this.memento.update(KEY, remembered(before, text));
        box.hide();
      });
      box.onDidHide(() => {
        resolve(undefined);
        box.dispose();
      });
      box.show();
    });
  }
}
