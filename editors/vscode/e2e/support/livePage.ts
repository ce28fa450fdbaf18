/** The live view's page alone in Chromium, as the extension builds it, fed with events by a test. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type Page, chromium as driver } from "playwright-core";
import type { FromPage, ToPage } from "../../src/live/messages.js";
import { chromium, extension } from "./paths.js";

const ADDRESS = "http://127.0.0.1:1/";

/** A dark theme's colours, as VS Code hands them to a webview. */
const THEME = `:root {
  --vscode-font-family: system-ui, sans-serif; --vscode-font-size: 13px;
  --vscode-editor-font-family: monospace; --vscode-editor-font-size: 13px;
  --vscode-foreground: #cccccc; --vscode-editor-background: #1f1f1f; --vscode-descriptionForeground: #9d9d9d;
  --vscode-sideBar-background: #181818; --vscode-panel-border: #2b2b2b; --vscode-errorForeground: #f85149;
  --vscode-button-background: #0078d4; --vscode-button-foreground: #ffffff;
  --vscode-button-secondaryBackground: #313131; --vscode-button-secondaryForeground: #cccccc;
  --vscode-textLink-foreground: #4daafc; --vscode-badge-background: #616161; --vscode-badge-foreground: #f8f8f8;
  --vscode-charts-blue: #3794ff; --vscode-charts-orange: #d18616; --vscode-charts-green: #89d185;
  --vscode-charts-purple: #b180d7; --vscode-charts-yellow: #cca700; --vscode-charts-red: #f14c4c;
  --vscode-textCodeBlock-background: #2b2b2b; --vscode-focusBorder: #0078d4;
}`;

export interface LivePage {
  page: Page;
  /** What the page sent to the extension. */
  sent: FromPage[];
  tell: (message: ToPage) => Promise<void>;
}

export async function openChromium(): Promise<Browser> {
  return await driver.launch({
    executablePath: chromium,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
  });
}

export async function openLivePage(browser: Browser, size = { width: 1280, height: 900 }): Promise<LivePage> {
  const page = await browser.newPage({ viewport: size });
  const sent: FromPage[] = [];
  await page.exposeFunction("sendToExtension", (message: FromPage) => sent.push(message));
  const policy = "default-src 'none'; style-src 'self' 'nonce-theme'; script-src 'nonce-page'";
  const html = `<!doctype html><html lang="en"><head>
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <style nonce="theme">${THEME}</style><link rel="stylesheet" href="page-style.css"></head><body>
    <script nonce="page">window.acquireVsCodeApi = () => ({ postMessage: sendToExtension, setState() {} });</script>
    <script nonce="page" type="module" src="page.js"></script></body></html>`;
  await page.route("**/*", async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === "") await route.fulfill({ contentType: "text/html", body: html });
    else if (name === "page.js" || name === "page-style.css") {
      const contentType = name.endsWith(".js") ? "text/javascript" : "text/css";
      const body = readFileSync(join(extension, "dist", "live", name), "utf8");
      await route.fulfill({ contentType, body });
    } else await route.abort();
  });
  await page.goto(ADDRESS);
  await page.waitForFunction(() => document.readyState === "complete");
  return {
    page,
    sent,
    tell: async (message) => {
      await page.evaluate((data) => {
        window.postMessage(data, "*");
      }, message);
    },
  };
}
