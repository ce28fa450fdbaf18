/**
 * How many frames a second the live view paints while members stream, in Chromium without a graphics card.
 *
 * A measurement, not a test: `npm run measure:live` prints one JSON object. Events are made as the server makes them: at most 20 a second and member, in messages of
 * two frames, as the extension sends them; each second a check or a critique comes between.
 */
import { test } from "vitest";
import { unheard } from "../../src/live/state.js";
import { words } from "../../src/live/words.js";
import { openChromium, openLivePage } from "../support/livePage.js";
import { stamped, started } from "./demonstration.js";

const MEMBERS = Number(process.env["MEMBERS"] ?? 15);
const TOKENS_A_SECOND = Number(process.env["TOKENS"] ?? 100);
const SECONDS = Number(process.env["SECONDS"] ?? 10);
const DELTAS_A_SECOND = 20;

test(`${MEMBERS} lanes at ${TOKENS_A_SECOND} tokens a second`, { timeout: 300_000 }, async () => {
  const names = Array.from({ length: MEMBERS }, (_, number) => `member-${number}`);
  const browser = await openChromium();
  const { page, tell } = await openLivePage(browser, { width: 1440, height: 900 });
  const job = "0123456789ab";
  await tell({ kind: "job", state: unheard(job), words: words((text) => text) });
  const first = stamped(
    [
      started(names.map((name, number) => [name, `family-${number % 5}`])),
      ...names.map((member) => ({
        kind: "memberStarted" as const,
        sample: 0,
        member,
        family: "",
        purpose: "draft",
      })),
    ],
    job,
  );
  await tell({ kind: "events", events: first });
  await page
    .locator(".lane")
    .nth(MEMBERS - 1)
    .waitFor();

  // The clock that sends runs in the page itself, so that this process's work does not count as the page's.
  const measured = await page.evaluate(
    async ({ names, seconds, perDelta, interval, from }) => {
      const word = ["return ", "result ", "+= ", "price ", "for ", "total\n", "(prices) ", "# because "];
      let seq = from;
      let sent = 0;
      const stamp = () => ({ job: "0123456789ab", seq: seq++, time: Date.now() / 1000 });
      const batch = () => {
        const events: unknown[] = [];
        for (const member of names) {
          const text = Array.from({ length: perDelta }, (_, n) => word[(seq + n) % word.length]).join("");
          events.push({ kind: "memberDelta", sample: 0, member, text, tokensPerSecond: 100, ...stamp() });
          sent += perDelta;
        }
        return events;
      };
      const frames: number[] = [];
      let running = true;
      const frame = (now: number) => {
        frames.push(now);
        if (running) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      const began = performance.now();
      let due = began;
      let critique = began + 1_000;
      while (performance.now() - began < seconds * 1_000) {
        const events = batch();
        if (performance.now() > critique) {
          critique += 1_000;
          const [one, other] = [names[seq % names.length], names[(seq + 3) % names.length]];
          events.push({
            kind: "critique",
            from: one,
            against: [other],
            about: "c1",
            claim: "An empty list breaks it.",
            evidence: "failed: IndexError",
            broke: true,
            ...stamp(),
          });
        }
        window.postMessage({ kind: "events", events }, "*");
        due += interval;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      }
      running = false;
      const took = (performance.now() - began) / 1_000;
      const gaps = frames.slice(1).map((each, place) => each - (frames[place] ?? each));
      gaps.sort((one, another) => one - another);
      return {
        framesPerSecond: frames.length / took,
        tokensPerSecondAndLane: sent / took / names.length,
        gapMedian: gaps[Math.floor(gaps.length / 2)],
        gap95: gaps[Math.floor(gaps.length * 0.95)],
        gapWorst: gaps.at(-1),
        elements: document.querySelectorAll("*").length,
      };
    },
    {
      names,
      seconds: SECONDS,
      perDelta: Math.round(TOKENS_A_SECOND / DELTAS_A_SECOND),
      interval: 1_000 / DELTAS_A_SECOND,
      from: first.length,
    },
  );
  await browser.close();
  process.stdout.write(`${JSON.stringify({ lanes: MEMBERS, ...measured })}\n`);
});
