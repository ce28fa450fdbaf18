/** The live view's page in Chromium: what is seen, read out and reachable by keys; hostile text stays text. */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unheard } from "../../src/live/state.js";
import { words } from "../../src/live/words.js";
import { type LivePage, openChromium, openLivePage } from "../support/livePage.js";
import { output } from "../support/paths.js";
import { EVENTS, FINISHED, JOB, PROPOSED, stamped, started } from "./demonstration.js";

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

test("what models write is text, whatever it looks like", async () => {
  const hostile = '</pre><img src=x onerror="window.owned=1"><script>window.owned=1</script>[x](command:a)';
  const member = '<b onmouseover="window.owned=1">alpha</b>';
  const { page, sent } = await showing(
    stamped([
      started([[member, hostile]]),
      { kind: "phase", phase: "draft", round: 0, note: hostile },
      { kind: "memberStarted", sample: 0, member, family: hostile, purpose: hostile },
      { kind: "memberDelta", sample: 0, member, text: hostile },
      { kind: "memberDelta", sample: 0, member, text: `{"${hostile}": "${hostile.replaceAll('"', "'")}"}` },
      {
        kind: "check",
        witness: hostile,
        target: "",
        outcome: "failed",
        summary: hostile,
        about: "c",
        members: [member],
      },
      {
        kind: "critique",
        from: hostile,
        against: [member],
        about: "c",
        claim: hostile,
        evidence: hostile,
        broke: true,
      },
      { kind: "position", member, stance: hostile, round: 1, moved: true, because: hostile },
      { kind: "dissent", dissent: { member, family: hostile, about: "c", text: hostile } },
      { ...PROPOSED, title: hostile, families: [hostile], paths: [hostile] },
      { ...FINISHED, reason: hostile },
    ]),
  );
  await page.locator(".verdict").waitFor();
  expect(await page.locator("img, script:not([nonce]), a, b, iframe").count()).toBe(0);
  expect(await page.locator(".stream pre").first().textContent()).toContain(hostile);
  expect(await page.evaluate(() => "owned" in window)).toBe(false);
  expect(sent).toEqual([{ kind: "ready" }]);
  await page.close();
});

test("the policy keeps a script out that got into the page all the same", async () => {
  const { page } = await showing(stamped(EVENTS));
  const refused = await page.evaluate(async () => {
    const seen: string[] = [];
    const both = new Promise<void>((resolve) => {
      document.addEventListener("securitypolicyviolation", (event) => {
        seen.push(event.effectiveDirective);
        if (seen.length === 2) resolve();
      });
    });
    const script = document.createElement("script");
    script.textContent = "window.owned = 1";
    const image = document.createElement("img");
    image.src = "http://127.0.0.1:1/x.png";
    document.body.append(script, image);
    await both;
    return seen.sort();
  });
  expect(refused).toEqual(["img-src", "script-src-elem"]);
  expect(await page.evaluate(() => "owned" in window)).toBe(false);
  await page.close();
});

test("keys: Tab reaches buttons and one lane, arrows go between lanes, and a lane's arrows stand out", async () => {
  const { page, sent } = await showing(stamped(EVENTS));
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Cancel");
  await page.keyboard.press("Enter");
  expect(sent.at(-1)).toEqual({ kind: "button", button: "cancel" });
  await page.keyboard.press("Tab");
  expect(await focused()).toMatch(/^alpha/);
  await page.keyboard.press("ArrowRight");
  expect(await focused()).toMatch(/^beta/);
  expect(await page.locator(".arrow.faded > path").count()).toBe(2);
  await page.keyboard.press("End");
  expect(await focused()).toMatch(/^gamma/);
  await page.keyboard.press("ArrowRight");
  expect(await focused()).toMatch(/^gamma/);
  await page.close();
});

test("a screen reader hears phases, checks and critiques, not every token", async () => {
  const live = await openLivePage(browser);
  await live.tell({ kind: "job", state: unheard(JOB), words: WORDS });
  const events = stamped([...EVENTS, PROPOSED, FINISHED]);
  const status = live.page.getByRole("status");
  const upTo = (count: number) => live.tell({ kind: "events", events: events.slice(0, count) });
  const drafts = events.findIndex((event) => event.kind === "memberDelta");
  await upTo(drafts);
  await status.filter({ hasText: "Draft" }).waitFor();
  await upTo(drafts + 1);
  await live.tell({ kind: "events", events });
  await status.filter({ hasText: "Done: Fix total: add every price" }).waitFor();
  const heard = (await status.textContent()) ?? "";
  expect(heard).toContain("attacks gamma");
  expect(heard).not.toContain("The loop keeps only");
  expect(await live.page.getByRole("list", { name: "Members of the panel" }).count()).toBe(1);
  expect(await live.page.getByRole("listitem", { name: "gamma, mistral: answered" }).count()).toBe(1);
  await live.page.close();
});

test("no motion for those who asked for none", async () => {
  const live = await openLivePage(browser);
  await live.page.emulateMedia({ reducedMotion: "reduce" });
  await live.tell({ kind: "job", state: unheard(JOB), words: WORDS });
  await live.tell({
    kind: "events",
    events: stamped([
      started([["alpha", "openai"]]),
      { kind: "memberStarted", sample: 0, member: "alpha", family: "openai", purpose: "draft" },
    ]),
  });
  const dot = live.page.locator('[data-state="running"] .lane-state');
  await dot.waitFor();
  expect(await dot.evaluate((each) => getComputedStyle(each, "::before").animationName)).toBe("none");
  await live.page.close();
});

test("the text of a lane stays bounded, and follows its end until the person scrolls up", async () => {
  const live = await showing(
    stamped([
      started([["alpha", "openai"]]),
      { kind: "memberStarted", sample: 0, member: "alpha", family: "openai", purpose: "draft" },
      ...Array.from({ length: 40 }, () => ({
        kind: "memberDelta" as const,
        sample: 0,
        member: "alpha",
        text: "one line of what it writes\n".repeat(20),
      })),
    ]),
  );
  const stream = live.page.locator(".stream");
  // Reversed: 0 is the end, and above it is less than 0.
  const place = () => stream.evaluate((each) => Math.round(each.scrollTop));
  expect(await place()).toBe(0);
  expect(await stream.evaluate((each) => each.textContent.length)).toBeLessThanOrEqual(20_000);
  await stream.evaluate((each) => {
    each.scrollTop = -500;
  });
  const last = {
    kind: "memberDelta" as const,
    sample: 0,
    member: "alpha",
    text: "and more\n",
    job: JOB,
    seq: 99,
    time: 1,
  };
  await live.tell({ kind: "events", events: [last] });
  await stream.getByText("and more").waitFor();
  expect(await place()).toBeLessThan(-400);
  await live.page.close();
});
