/** One member: who it is, what it writes, what the checks and the others say of it. */
import { count, money, tokensOf } from "../figures.js";
import { Prose } from "../prose.js";
import { type Check, type Critique, type JobState, KEPT_CHARACTERS, type Lane, type Step } from "../state.js";
import { type Words, fill } from "../words.js";
import { element, say, show } from "./elements.js";

/** Entries below a lane's text at most: the newest. */
const ENTRIES = 12;

const MARKS: Record<string, string> = { passed: "✓", failed: "✗", timedOut: "⧖", error: "!", notRun: "–" };

/** The text of one piece as it stands in the page, and how far the piece was read. */
interface ShownPiece {
  readonly text: Text;
  readonly block: HTMLElement;
  readonly prose: Prose;
  end: number;
}

export class LaneView {
  readonly root = element("article", "lane");
  private readonly state = element("span", "lane-state");
  private readonly figures = element("p", "figures");
  private readonly who = element("p", "who");
  private readonly error = element("p", "error");
  private readonly stream = element("div", "stream");
  private readonly entries = element("ul", "entries");
  /** The texts that are shown, by the number of their piece. */
  private readonly pieces = new Map<number, ShownPiece>();
  private shownEntries = "";
  private lane: Lane | undefined;
  /** Whether the stream follows its end: until the person scrolls up. */
  private follows = true;

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
    this.stream.addEventListener("scroll", () => {
      this.follows = this.stream.scrollTop + this.stream.clientHeight >= this.stream.scrollHeight - 24;
    });
    this.root.append(head, this.who, this.figures, this.stream, this.error, this.entries);
  }

  /** Show a lane as it is now; called at most once a frame. */
  update(lane: Lane, job: JobState): void {
    const changed = lane !== this.lane;
    this.lane = lane;
    if (changed) this.head(lane);
    if (changed) this.text(lane);
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
      tokens > 0 ? fill(words.tokens, count(tokens)) : "",
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
      if (!lane.pieces.some((piece) => piece.number === number)) {
        shown.block.remove();
        this.pieces.delete(number);
      }
    }
    for (const piece of lane.pieces) {
      let shown = this.pieces.get(piece.number);
      if (shown === undefined) {
        const block = element("section", "piece");
        block.append(element("h3", "", this.words.purposes[piece.purpose] ?? piece.purpose));
        const text = document.createTextNode("");
        const pre = element("pre");
        pre.append(text);
        block.append(pre);
        this.stream.append(block);
        shown = { text, block, end: 0, prose: new Prose() };
        this.pieces.set(piece.number, shown);
      }
      const end = piece.dropped + piece.text.length;
      if (end > shown.end) {
        const fresh = piece.text.slice(Math.max(0, shown.end - piece.dropped));
        shown.text.appendData(shown.prose.add(fresh));
        shown.end = end;
      }
      const excess = shown.text.length - KEPT_CHARACTERS;
      if (excess > 0) shown.text.deleteData(0, excess);
      if (excess > 0 || piece.dropped > 0) shown.block.classList.add("omitted");
    }
    if (this.follows) this.stream.scrollTop = this.stream.scrollHeight;
  }

  private events(lane: Lane, job: JobState): void {
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
