import type { Frame } from "playwright-core";
import { expect } from "vitest";
import { until } from "../support/condition.js";
import type { Answer, Script } from "../support/panel.js";
import { CART, scenario } from "../support/stage.js";
import type { Window } from "../support/window.js";

const ADD = "Add every price to the sum: use +=.";
const SUM = "Return sum(prices) and drop the loop.";
const FLOAT = "Use math.fsum, floats lose cents.";

/** A member of a debate: a stance, what it objects to another with, and where it goes on evidence. */
function debater(stance: string, argument: string, objection: object, onEvidence: object = {}): Answer[] {
  const turn = {
    target: 1,
    objection: "",
    line: 0,
    quote: "",
    test: "",
    decision: "keep",
    adopt: 0,
    stance: "",
    argument: "",
    because: "",
    ...objection,
  };
  const pace = { tokens_per_second: 25, latency: 0.3 };
  return [
    { contains: "Task: sum up", text: JSON.stringify({ summary: "The loop must add.", would_settle: "" }) },
    {
      contains: "evidence brought against your position",
      text: JSON.stringify({ ...turn, ...onEvidence }),
      ...pace,
    },
    { contains: "of a debate.", text: JSON.stringify(turn), ...pace },
    {
      contains: "take a position",
      text: JSON.stringify({ stance, argument, line: 4, quote: "        result = price" }),
      ...pace,
    },
  ];
}

const DEBATE: Script = {
  alpha: debater(ADD, "The accumulator is assigned, so only the last price survives the loop.", {
    objection: "fsum changes the type of the result to float, although prices are whole cents.",
    line: 2,
    quote: "    result = 0",
  }),
  beta: debater(SUM, "The builtin says what is meant, and nobody can forget the plus.", {
    objection: "It is not asked for: the line that is wrong is one character away from right.",
    line: 4,
    quote: "        result = price",
  }),
  gamma: debater(
    FLOAT,
    "Money in floats loses cents when many small prices are added up.",
    { objection: "A sum over floats drifts." },
    { decision: "move", stance: ADD, argument: "Cents are whole numbers.", because: "The sum starts at 0." },
  ),
};

scenario(
  "a debate opens the live view: lanes stream, critiques go between them, a verdict with its dissent",
  {
    files: { "cart.py": CART },
    says: DEBATE,
    members: ["alpha", "beta", "gamma"],
    settings: { "ensemble.rounds": 2 },
    size: { width: 1440, height: 960 },
  },
  async ({ window, picture, setTheme }) => {
    await window.openFile("cart.py", 4, 9);
    await window.command("Ensemble: Ask the Panel…");
    await window.answer("How should total be repaired?");
    const live = await window.webview(".lane");
    // What passes by, such as a state or the status bar's item, may have passed: what was written stays.
    await until("all three wrote", async () => (await live.locator(".piece pre:not(:empty)").count()) >= 3);
    await picture("live-streaming");

    await live.locator(".verdict[data-status]:not([data-status=''])").waitFor();
    const report = await window.webview("h2:has-text('What moved whom')");
    await report.getByText("Recommendation:").first().waitFor();
    expect(await live.locator(".lane h2").allTextContents()).toEqual(["alpha", "beta", "gamma"]);
    expect(await live.locator(".arrow > path").count()).toBeGreaterThanOrEqual(2);
    expect(await live.locator(".critique .evidence").allTextContents()).toContain("line 2: result = 0");
    await window.page.mouse.move(5, 500);
    await picture("live");
    for (const theme of ["light", "contrast"] as const) {
      const before = await live.evaluate(() => getComputedStyle(document.body).backgroundColor);
      setTheme(theme);
      await until("the view follows the theme", async () => {
        const now = await live.evaluate(() => getComputedStyle(document.body).backgroundColor);
        return now !== before;
      });
      await picture(`live-${theme}`);
    }
  },
);

const EXPLAINED = {
  files: { "cart.py": CART },
  says: {
    "*": [
      {
        contains: "explain this code",
        text: JSON.stringify({
          claims: [{ kind: "purpose", text: "Sums the prices of a cart.", line: 1, symbol: "total" }],
        }),
      },
    ],
  },
  settings: {
    "ensemble.live.open": "always",
    // Answers that are kept cost nothing a second time: the job that goes on ends within a moment.
    "ensemble.store.replies": true,
  },
};

/** Explain the function and wait for the live view of the job that ended. */
async function explained(window: Window): Promise<Frame> {
  await window.openFile("cart.py", 1, 5);
  await window.act("Ensemble: explain");
  const live = await window.webview(".verdict[data-status='done']");
  await (await window.webview("h1:has-text('What total does')")).getByText("Sums the prices").waitFor();
  return live;
}

/** Press the debate button and wait for the end of the job that goes on, in the same view. */
async function debated(live: Frame): Promise<void> {
  await live.getByRole("button", { name: /^Debate this, about \$0\.\d+$/ }).click();
  await live.locator("header .mode").filter({ hasText: "debate" }).waitFor();
  await live.locator(".verdict[data-status='done']").waitFor();
  expect(await live.locator(".lane h2").allTextContents()).toEqual(["alpha", "beta"]);
}

scenario(
  "a job that ended goes on as a debate from its live view, which shows it from its beginning",
  EXPLAINED,
  async ({ window, picture }) => {
    await debated(await explained(window));
    await picture("live-continued");
  },
);

scenario(
  "the live view of a job that ended is there again after a reload, and goes on with it as a debate",
  EXPLAINED,
  async ({ window, picture }) => {
    const before = await explained(window);
    const title = await before.locator("header h1").innerText();
    await window.remembers(/ensemble\.live.*"job":"[0-9a-f]+"/s);

    await window.reload();
    const live = await window.webview(".verdict[data-status='done']");
    expect(await live.locator("header h1").innerText()).toBe(title);
    expect(await live.locator(".lane h2").allTextContents()).toEqual(["alpha", "beta"]);
    await picture("live-restored");
    await debated(live);
  },
);
