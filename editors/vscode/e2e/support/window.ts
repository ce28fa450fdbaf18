/** One VS Code window in Chromium, used as a person uses it: keys, menus, and what the screen says. */
import type { Frame, Locator, Page } from "playwright-core";
import { PATIENCE, until } from "./condition.js";

const WORKBENCH = ".monaco-workbench .explorer-folders-view .monaco-list-row";

export class Window {
  constructor(
    readonly page: Page,
    private readonly address: string,
  ) {
    page.setDefaultTimeout(PATIENCE);
  }

  /** Open a folder and wait until its files are listed. */
  async open(folder: string, payload: readonly [string, string][] = []): Promise<void> {
    const query = new URLSearchParams({ folder });
    if (payload.length > 0) query.set("payload", JSON.stringify(payload));
    await this.page.goto(`${this.address}/?${query.toString()}`);
    await this.page.locator(WORKBENCH).first().waitFor();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.page.locator(".monaco-workbench .part.editor").waitFor();
    // Until the window has restored its editors they take the focus from whatever is typed into.
    await this.status(/Ensemble/).waitFor();
  }

  /**
   * Wait until the window has written down something of its layout, where a reload finds it: VS Code does so every few
   * seconds, into a database of the browser. `text` is looked for without the backslashes of JSON within JSON.
   */
  async remembers(text: RegExp): Promise<void> {
    const written = async (): Promise<string> =>
      await this.page.evaluate(async () => {
        const settled = <T>(request: IDBRequest<T>) =>
          new Promise<T>((resolve, reject) => {
            request.onsuccess = () => {
              resolve(request.result);
            };
            request.onerror = () => {
              reject(new Error(String(request.error)));
            };
          });
        const texts: string[] = [];
        for (const { name } of await indexedDB.databases()) {
          if (name?.startsWith("vscode-web-state-db") !== true) continue;
          const database = await settled(indexedDB.open(name));
          for (const store of database.objectStoreNames) {
            const values = await settled(database.transaction(store).objectStore(store).getAll());
            texts.push(...values.filter((value) => typeof value === "string"));
          }
          database.close();
        }
        return texts.join("\n");
      });
    await until(`the window has written down ${String(text)}`, async () =>
      text.test((await written()).replaceAll("\\", "")),
    );
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  // -- quick input ------------------------------------------------------------------------------------------

  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget");
  }

  /** Press Enter in the quick input; fails when something else has the focus, where the key would be typed. */
  private async enter(): Promise<void> {
    await this.quickInput.locator(":focus").first().waitFor({ timeout: 5000 });
    await this.press("Enter");
  }

  /** The rows that the quick pick shows. */
  async picks(): Promise<string[]> {
    return await this.quickInput
      .locator(".monaco-list-row")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));
  }

  /** Filter the open quick pick and take the row whose label begins with `label`. */
  async pick(label: string, filter = label): Promise<void> {
    const input = this.quickInput.locator("input.input").first();
    await input.fill(filter);
    const row = this.quickInput.locator(`.monaco-list-row[aria-label^=${JSON.stringify(label)}]`).first();
    await row.waitFor();
    await until(`the row ${label} is the one in focus`, async () => {
      if ((await row.getAttribute("class"))?.includes("focused")) return true;
      await this.press("ArrowDown");
      return false;
    });
    await this.enter();
  }

  /** Answer the open input box. */
  async answer(text: string): Promise<void> {
    const input = this.quickInput.locator("input.input").first();
    await input.waitFor();
    await input.fill(text);
    await this.enter();
  }

  /** Run a command by its title, as the palette shows it, as soon as the palette offers it. */
  async command(title: string): Promise<void> {
    await until(`the palette offers ${title}`, async () => {
      await this.press("F1");
      const input = this.quickInput.locator("input.input").first();
      await input.waitFor();
      await input.fill(`>${title}`);
      const row = this.quickInput.locator(`.monaco-list-row[aria-label^=${JSON.stringify(title)}]`).first();
      try {
        await row.waitFor({ timeout: 2000 });
        return true;
      } catch {
        await this.press("Escape");
        await this.quickInput.waitFor({ state: "hidden" });
        return false;
      }
    });
    await this.pick(title, `>${title}`);
  }

  /** Whether the palette offers a command now. */
  async offers(title: string): Promise<boolean> {
    await this.press("F1");
    const input = this.quickInput.locator("input.input").first();
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.quickInput.locator(".monaco-list-row").first().waitFor();
    const found = (await this.picks()).some((label) => label.startsWith(title));
    await this.press("Escape");
    return found;
  }

  // -- editors ----------------------------------------------------------------------------------------------

  /** Open a file of the folder by its name and put the cursor at a place, both counted from 1. */
  async openFile(name: string, line = 1, column = 1): Promise<void> {
    await until(`${name} is among the files to open`, async () => {
      await this.press("Control+p");
      await this.quickInput.locator("input.input").first().fill(name, { timeout: 5000 });
      await this.quickInput
        .locator(".monaco-list-row")
        .filter({ hasText: name.split("/").at(-1) ?? name })
        .first()
        .waitFor({ timeout: 10_000 });
      await this.enter();
      return true;
    });
    await this.tab(name.split("/").at(-1) ?? name).waitFor();
    await this.goTo(line, column);
  }

  async goTo(line: number, column = 1): Promise<void> {
    const row = this.quickInput.locator(".monaco-list-row.focused").filter({ hasText: "'Enter'" });
    await until(`the cursor goes to line ${String(line)}`, async () => {
      await this.press("Control+g");
      const input = this.quickInput.locator("input.input").first();
      await input.fill(`:${String(line)}:${String(column)}`, { timeout: 5000 });
      await row.waitFor({ timeout: 5000 });
      await this.enter();
      await this.quickInput.waitFor({ state: "hidden", timeout: 5000 });
      return true;
    });
  }

  /** Select whole lines, both counted from 1 and inclusive. */
  async select(first: number, last: number): Promise<void> {
    await this.goTo(first, 1);
    for (let line = first; line <= last; line += 1) await this.press("Shift+ArrowDown");
  }

  tab(title: string): Locator {
    return this.page.locator(`.tabs-container .tab[aria-label^=${JSON.stringify(title)}]`).first();
  }

  /** What the editor in focus shows, its lines joined; only what fits on the screen. */
  async shown(): Promise<string> {
    const lines = this.page.locator(".editor-instance .monaco-editor").last().locator(".view-line");
    const rows = await lines.evaluateAll((found) =>
      found
        .map((each) => ({
          top: Number.parseFloat((each as HTMLElement).style.top),
          text: each.textContent,
        }))
        .sort((one, other) => one.top - other.top),
    );
    return rows.map((row) => row.text.replaceAll("\u00a0", " ").replaceAll("\u200c", "")).join("\n");
  }

  async save(): Promise<void> {
    await this.press("Control+s");
    await this.page.locator(".tabs-container .tab.active.dirty").waitFor({ state: "detached" });
  }

  // -- light bulb -------------------------------------------------------------------------------------------

  get menu(): Locator {
    return this.page.locator(".action-widget:not(.action-list-submenu-panel)");
  }

  /** Open the code actions at the cursor and return their titles once one of them contains `wanted`. */
  async codeActions(wanted: string): Promise<string[]> {
    const row = this.menu.locator(".monaco-list-row.action").first();
    const none = this.page.locator(".monaco-editor-overlaymessage").first();
    return await until(`the light bulb offers "${wanted}"`, async () => {
      await this.press("Control+.");
      // Not pressed again before the editor said something: in an open menu the same keys run its first action.
      try {
        await row.or(none).first().waitFor({ timeout: 20_000 });
      } catch {
        // Nothing came of the keys.
      }
      if (!(await row.isVisible())) {
        await this.press("Escape");
        return null;
      }
      const titles = await this.menu.locator(".monaco-list-row.action").allInnerTexts();
      if (titles.some((title) => title.includes(wanted))) return titles.map((title) => title.trim());
      await this.press("Escape");
      await this.menu.waitFor({ state: "hidden" });
      return null;
    });
  }

  /** Open the code actions and run the first whose title contains `title`. */
  async act(title: string): Promise<void> {
    await this.codeActions(title);
    const row = this.menu.locator(".monaco-list-row.action").filter({ hasText: title }).first();
    await until(`the action ${title} is the one in focus`, async () => {
      if ((await row.getAttribute("class"))?.includes("focused")) return true;
      await this.press("ArrowDown");
      return false;
    });
    await this.press("Enter");
    await this.menu.waitFor({ state: "hidden" });
  }

  // -- what the screen says -------------------------------------------------------------------------------------

  /** A notification with this text, toast or in the centre. */
  notification(text: string | RegExp): Locator {
    return this.page.locator(".notification-list-item").filter({ hasText: text }).first();
  }

  /** Wait for a notification; toasts go by themselves, so that the centre is opened where none is seen. */
  async told(text: string | RegExp): Promise<string> {
    const shown = this.notification(text);
    await until(`a notification says ${String(text)}`, async () => {
      if (await shown.isVisible()) return true;
      await this.command("Notifications: Show Notifications");
      try {
        await shown.waitFor({ timeout: 3000 });
        return true;
      } catch {
        return false;
      }
    });
    return (await shown.locator(".notification-list-item-message").textContent()) ?? "";
  }

  /** Wait for a notification in the notification centre: the test driver leaves the toasts out. */
  async notice(text: string | RegExp): Promise<Locator> {
    const item = this.notification(text);
    const centre = this.page.locator(".notifications-center.visible");
    return await until(`a notification says ${String(text)}`, async () => {
      if (await item.isVisible()) return item;
      if (!(await centre.isVisible())) await this.command("Notifications: Show Notifications");
      return null;
    });
  }

  /** Press a button of a notification. */
  async choose(text: string | RegExp, button: string): Promise<void> {
    const item = await this.notice(text);
    await item.hover();
    await item.getByRole("button", { name: button, exact: true }).click();
  }

  /** A modal dialog's button. */
  async confirm(button: string): Promise<void> {
    await this.page.locator(".monaco-dialog-box").getByRole("button", { name: button }).click();
  }

  /** Items of the status bar that contain a text. */
  status(text: string | RegExp): Locator {
    return this.page.locator(".statusbar-item").filter({ hasText: text }).first();
  }

  /** Messages of the Problems panel, once there are some that contain `text`. */
  async problem(text: string): Promise<Locator> {
    await this.command("View: Focus Problems");
    const row = this.page.locator(".markers-panel .monaco-list-row").filter({ hasText: text }).first();
    await row.waitFor();
    return row;
  }

  /** Rows of a tree view, by the view's title. */
  tree(view: string): Locator {
    return this.page.locator(`.pane:has(.pane-header[aria-label*=${JSON.stringify(view)}]) .monaco-list-row`);
  }

  /** The document inside the webview of the editor (or view) that matches; `selector` must be in it. */
  async webview(selector: string): Promise<Frame> {
    return await until(`a webview with ${selector}`, async () => {
      for (const frame of this.page.frames()) {
        try {
          if ((await frame.locator(selector).count()) > 0) return frame;
        } catch {
          // The frame went away while we looked.
        }
      }
      return null;
    });
  }

  /** Wait until a webview's document can be seen: VS Code fills a hidden frame first, then shows it. */
  async seen(frame: Frame): Promise<void> {
    for (let each: Frame | null = frame; each?.parentFrame(); each = each.parentFrame()) {
      await (await each.frameElement()).waitForElementState("visible");
    }
  }
}
