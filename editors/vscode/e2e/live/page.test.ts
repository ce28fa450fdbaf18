/** The live view's page in Chromium: what is seen, read out and reachable by keys; hostile text stays text. */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unheard } from "../../src/live/state.js";
import { words } from "../../src/live/words.js";
import { type LivePage, openChromium, openLivePage } from "../support/livePage.js";
import { output } from "../support/paths.js";
import { EVENTS, FINISHED, JOB, PROPOSED, stamped } from "./demonstration.js";

let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

afterAll(async () => {
  await browser.close();
});

const WORDS = words((text) => text);

async function showing(events: ReturnType<typeof stamped>): Promise<LivePage> {
  const live = await openLivePage(browser);
  await live.tell({ kind: "job", state: unheard(JOB), words: WORDS });
  await live.tell({ kind: "events", events });
  await live.page.locator(".lane").first().waitFor();
  return live;
}

test("a debate is seen: lanes, checks, who attacked whom, verdict and dissent", async () => {
  const { page } = await showing(stamped([...EVENTS, PROPOSED, FINISHED]));
  expect(await page.locator(".lane h2").allTextContents()).toEqual(["alpha", "beta", "gamma"]);
  expect(await page.locator("h1").textContent()).toBe("Fix · cart.py");
  const gamma = page.locator(".lane").filter({ has: page.getByRole("heading", { name: "gamma" }) });
  expect(await gamma.locator(".critique.broke").textContent()).toContain("An empty cart raises IndexError");
  expect(await gamma.locator(".step.moved").textContent()).toContain(
    "because of IndexError on an empty cart",
  );
  // alpha → gamma, gamma → alpha, gamma → beta, beta → gamma
  expect(await page.locator(".arrow > path").count()).toBe(4);
  expect(await page.locator(".arrow.broke > path").count()).toBe(1);
  expect(await page.locator(".verdict").textContent()).toContain("Fix total: add every price");
  await page.locator(".dissent summary").click();
  expect(await page.locator(".dissent").textContent()).toContain("Sums of money should be Decimal");
  await page.screenshot({ path: join(output, "live-page.png") });
  await page.close();
});
