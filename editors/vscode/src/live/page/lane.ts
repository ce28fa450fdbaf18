/** One member: who it is, what it writes, what the checks and the others say of it. */
import { money, tokensOf } from "../figures.js";
import type { Lane } from "../lanes.js";
import type { Check, Critique, JobState, Step } from "../state.js";
import { type Words, fill, tokensInWords } from "../words.js";
import { element, say, show } from "./elements.js";
import { PieceView } from "./stream.js";

/** Entries below a lane's text at most: the newest. */
const ENTRIES = 12;

const MARKS: Record<string, string> = { passed: "✓", failed: "✗", timedOut: "⧖", error: "!", notRun: "–" };

export class LaneView {
  readonly root = element("article", "lane");
  private readonly state = element("span", "lane-state");
  private readonly figures = element("p", "figures");
  private readonly who = element("p", "who");
  private readonly error = element("p", "error");
  private readonly stream = element("div", "stream");
  private readonly written = element("div");
  private readonly entries = element("ul", "entries");
  /** The texts that are shown, by the number of their piece. */
  private readonly pieces = new Map<number, PieceView>();
  private shownEntries = "";
  private lane: Lane | undefined;
  private job: JobState | undefined;

  constructor(
    readonly member: string,
    color: number,
    private readonly words: Words,
  ) {
    this.root.tabIndex = -1;
    this.root.dataset["color"] = String(color);
    this.root.setAttribute("role", "listitem");
    const head = element("header");
    head.append(element("h2", "", member), this.state);
    this.stream.setAttribute("role", "group");
    this.stream.setAttribute("aria-label", fill(words.writes, member));
    this.stream.append(this.written);
    this.root.append(head, this.who, this.figures, this.stream, this.error, this.entries);
  }

  /** Show a lane as it is now; called at most once a frame. */
  update(lane: Lane, job: JobState): void {
    const changed = lane !== this.lane;
    this.lane = lane;
    if (changed) this.head(lane);
    if (changed) this.text(lane);
    show(this.stream, lane.ended !== "unasked");
    this.events(lane, job);
  }

  scroll(pages: number): void {
    this.stream.scrollBy({ top: pages * this.stream.clientHeight * 0.8 });
  }

  private head(lane: Lane): void {
    const words = this.words;
    const doing = stateOf(lane, words);
    say(this.state, doing);
    this.root.dataset["state"] = lane.running.length > 0 ? "running" : lane.ended || "waiting";
    say(this.who, [lane.family, lane.model, lane.local ? words.local : ""].filter(Boolean).join(" · "));
    const tokens = tokensOf(lane);
    const figures = [
      tokens > 0 ? tokensInWords(words, tokens) : "",
      lane.speed === undefined ? "" : fill(words.speed, Math.round(lane.speed)),
      lane.spend.usd > 0 ? money(lane.spend.usd) : "",
    ];
    say(this.figures, figures.filter(Boolean).join(" · "));
    say(this.error, lane.error);
    show(this.error, lane.error !== "");
    this.root.setAttribute("aria-label", `${lane.member}, ${lane.family}: ${doing}`);
  }

  private text(lane: Lane): void {
    for (const [number, shown] of this.pieces) {
      if (lane.pieces.some((piece) => piece.number === number)) continue;
      shown.root.remove();
      this.pieces.delete(number);
    }
    for (const piece of lane.pieces) {
      let shown = this.pieces.get(piece.number);
      if (shown === undefined) {
        shown = new PieceView(this.words.purposes[piece.purpose] ?? piece.purpose);
        this.pieces.set(piece.number, shown);
        this.written.append(shown.root);
      }
      shown.update(piece);
    }
  }

  private events(lane: Lane, job: JobState): void {
    const before = this.job;
    this.job = job;
    const same =
      job.checks === before?.checks && job.critiques === before.critiques && job.steps === before.steps;
    if (same) return;
    const checks = job.checks.filter((check) => check.members.includes(lane.member));
    const critiques = job.critiques.filter((critique) => critique.against.includes(lane.member));
    const steps = job.steps.filter((step) => step.member === lane.member);
    const key = [checks, critiques, steps].map((list) => list.at(-1)?.number ?? -1).join();
    if (key === this.shownEntries) return;
    this.shownEntries = key;
    this.entries.replaceChildren(
      ...checks.slice(-ENTRIES).map((check) => checkEntry(check, this.words)),
      ...critiques.slice(-ENTRIES).map((critique) => this.critiqueEntry(critique)),
      ...steps.slice(-ENTRIES).map((step) => this.stepEntry(step)),
    );
  }

  private critiqueEntry(critique: Critique): HTMLLIElement {
    const { words } = this;
    const entry = element("li", critique.broke ? "critique broke" : "critique");
    const line = element("p");
    line.append(
      element("span", "badge", String(critique.number)),
      element("strong", "", fill(words.attacked, critique.from)),
      element("em", "", critique.broke ? words.broke : words.unbroken),
    );
    entry.append(line, element("p", "claim", critique.claim));
    entry.append(element("p", "evidence", critique.evidence === "" ? words.noEvidence : critique.evidence));
    return entry;
  }

  private stepEntry(step: Step): HTMLLIElement {
    const { words } = this;
    const entry = element("li", `step ${step.kind}`);
    const line = element("p");
    line.append(element("strong", "", words[step.kind]));
    if (step.because !== "") line.append(` ${fill(words.because, step.because)}`);
    if (step.conformity) line.append(element("em", "", words.conformity));
    entry.append(line);
    if (step.text !== "") entry.append(element("p", "claim", step.text));
    return entry;
  }
}

export function checkEntry(check: Check, words: Words): HTMLLIElement {
  const entry = element("li", `check ${check.outcome}`);
  const mark = element("span", "mark", MARKS[check.outcome] ?? "");
  mark.setAttribute("aria-hidden", "true");
  entry.append(
    mark,
    element("span", "", `${check.witness}: ${check.summary || (words.outcomes[check.outcome] ?? "")}`),
    element("span", "unseen", words.outcomes[check.outcome] ?? check.outcome),
  );
  return entry;
}

function stateOf(lane: Lane, words: Words): string {
  const purpose = lane.running.at(-1);
  if (purpose !== undefined) return words.purposes[purpose] ?? purpose;
  return lane.ended === "" ? words.waiting : words[lane.ended];
}
