/** What the job is, how far it is, what it costs, and what can be done with it. */
import { debateCost, duration, fileOf, money, spentOn, tokensOf } from "../figures.js";
import type { Button } from "../messages.js";
import { type JobState, isRunning } from "../state.js";
import { type Words, fill, tokensInWords } from "../words.js";
import { element, say, show } from "./elements.js";

const STEPS = ["gather", "draft", "check", "critique", "revise", "decide"] as const;

export class HeaderView {
  readonly root = element("header", "job");
  private readonly title = element("h1");
  private readonly mode = element("span", "mode");
  private readonly steps = element("ol", "phases");
  private readonly note = element("p", "note");
  private readonly figures = element("p", "figures");
  private readonly buttons = new Map<Button, HTMLButtonElement>();
  private readonly phases = new Map<string, HTMLLIElement>();

  constructor(
    private readonly words: Words,
    press: (button: Button) => void,
  ) {
    const bar = element("div", "bar");
    const tools = element("div", "tools");
    const labels: readonly (readonly [Button, string])[] = [
      ["decide", words.decide],
      ["cancel", words.cancel],
      ["proposal", words.proposal],
      ["debate", words.debate],
      ["rerun", words.rerun],
      ["transcript", words.transcript],
    ];
    for (const [name, label] of labels) {
      const button = element("button", name === "decide" || name === "proposal" ? "primary" : "", label);
      button.type = "button";
      button.dataset["button"] = name;
      button.addEventListener("click", () => press(name));
      this.buttons.set(name, button);
      tools.append(button);
    }
    bar.append(this.title, this.mode, tools);
    for (const phase of STEPS) {
      const item = element("li", "", words.phases[phase] ?? phase);
      this.phases.set(phase, item);
      this.steps.append(item);
    }
    const line = element("div", "line");
    line.append(this.steps, this.figures);
    this.root.append(bar, line, this.note);
  }

  update(job: JobState): void {
    const { words } = this;
    const action = job.action === undefined ? "" : (words.actions[job.action] ?? job.action);
    say(this.title, [action, fileOf(job)].filter(Boolean).join(" · ") || words.title);
    const mode = job.mode === undefined ? "" : (words.modes[job.mode] ?? job.mode);
    say(this.mode, job.round > 0 && isRunning(job) ? `${mode} · ${fill(words.round, job.round)}` : mode);
    show(this.mode, mode !== "");
    this.phase(job);
    const told = job.seq < 0 ? words.starting : job.note;
    const note = isRunning(job) ? told : job.notes.join(" · ");
    say(this.note, note);
    show(this.note, note !== "");
    this.offer(job);
  }

  /** Time, tokens and money; called once a second too, since time passes by itself. */
  tick(job: JobState, now: number): void {
    const { words } = this;
    const tokens = job.lanes.reduce((total, lane) => total + tokensOf(lane), 0);
    const spent = spentOn(job);
    const estimate = job.estimate?.usdExpected ?? 0;
    const seconds = isRunning(job) ? (job.started === 0 ? 0 : now - job.started) : job.seconds;
    const cost = estimate > 0 ? `${money(spent)} ${fill(words.estimate, money(estimate))}` : money(spent);
    say(this.figures, [tokensInWords(words, tokens), cost, duration(seconds)].join(" · "));
  }

  private phase(job: JobState): void {
    const current = job.phase === "escalate" ? "critique" : job.phase;
    const place = STEPS.findIndex((phase) => phase === current);
    for (const [number, phase] of STEPS.entries()) {
      const item = this.phases.get(phase);
      if (item === undefined) continue;
      const isCurrent = isRunning(job) && number === place;
      item.className = isCurrent ? "current" : number < place || !isRunning(job) ? "past" : "";
      if (isCurrent) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
  }

  private offer(job: JobState): void {
    const running = isRunning(job);
    const shown: Record<Button, boolean> = {
      decide: running && job.phase !== "gather" && job.phase !== "decide",
      cancel: running,
      proposal: !running && job.proposal !== undefined && job.status !== "cancelled",
      debate: !running && job.lanes.some((lane) => lane.spend.calls > 0),
      rerun: !running,
      transcript: !running,
    };
    for (const [name, button] of this.buttons) {
      // A button that goes while it has the focus would take the focus out of the page.
      const hadFocus = document.activeElement === button && !shown[name];
      show(button, shown[name]);
      if (hadFocus) [...this.buttons.values()].find((each) => !each.hidden)?.focus();
    }
    const cost = debateCost(job);
    const debate = this.buttons.get("debate");
    if (debate !== undefined) {
      say(debate, cost === undefined ? this.words.debate : fill(this.words.debateFor, money(cost)));
    }
  }
}
