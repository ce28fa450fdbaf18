/** The live view's page: folds the events it is sent and paints at most once a frame. */
import type { FromPage, ToPage } from "../messages.js";
import { heardAll } from "../hearing.js";
import { type JobState, isRunning, unheard } from "../state.js";
import { type Words, fill } from "../words.js";
import { Announcer } from "./announcer.js";
import { Arrows } from "./arrows.js";
import { element, show } from "./elements.js";
import { HeaderView } from "./header.js";
import { LaneView, checkEntry } from "./lane.js";
import { VerdictView } from "./verdict.js";

interface Host {
  postMessage(message: FromPage): void;
  setState(state: { job: string }): void;
}

declare function acquireVsCodeApi(): Host;

/** Colours of the theme that families take in turn. */
const COLORS = 6;

class Page {
  private job: JobState = unheard("");
  private readonly header: HeaderView;
  private readonly verdict: VerdictView;
  private readonly baseline = element("ul", "entries baseline");
  private readonly lanes = element("div", "lanes");
  private readonly arrows = new Arrows();
  private readonly views = new Map<string, LaneView>();
  private readonly announcer: Announcer;
  private readonly main = element("main");
  private painted: JobState | undefined;
  private asked = false;

  constructor(
    private readonly words: Words,
    private readonly host: Host,
  ) {
    this.header = new HeaderView(words, (button) => this.host.postMessage({ kind: "button", button }));
    this.verdict = new VerdictView(words, (finding) => this.host.postMessage({ kind: "finding", finding }));
    const region = element("div", "unseen");
    region.setAttribute("role", "status");
    region.setAttribute("aria-live", "polite");
    this.announcer = new Announcer(region);
    this.lanes.setAttribute("role", "list");
    this.lanes.setAttribute("aria-label", words.lanes);
    this.baseline.setAttribute("aria-label", words.asItIs);
    this.lanes.append(this.arrows.root);
    this.lanes.addEventListener("keydown", (event) => this.key(event));
    this.lanes.addEventListener("focusin", () => this.highlight());
    this.lanes.addEventListener("focusout", () => this.highlight());
    this.lanes.addEventListener("pointerover", (event) => {
      const lane = (event.target as Element).closest<HTMLElement>(".lane");
      this.arrows.highlight(this.memberOf(lane) ?? this.memberOf(document.activeElement));
    });
    this.lanes.addEventListener("pointerleave", () => this.highlight());
    new ResizeObserver(() => this.drawArrows()).observe(this.lanes);
    this.main.append(this.header.root, this.verdict.root, this.baseline, this.lanes);
    document.body.replaceChildren(this.main, region);
    window.setInterval(() => {
      if (isRunning(this.job)) this.header.tick(this.job, Date.now() / 1000);
    }, 1000);
  }

  show(state: JobState): void {
    if (state.job !== this.job.job) {
      for (const view of this.views.values()) view.root.remove();
      this.views.clear();
      this.painted = undefined;
    }
    this.job = state;
    this.host.setState({ job: state.job });
    this.ask();
  }

  hear(message: Extract<ToPage, { kind: "events" }>): void {
    this.job = heardAll(this.job, message.events);
    this.ask();
  }

  /** Paint in the next frame, however many messages come before it. */
  private ask(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.paint();
    });
  }

  private paint(): void {
    const job = this.job;
    const before = this.painted;
    this.painted = job;
    this.header.update(job);
    this.header.tick(job, Date.now() / 1000);
    this.verdict.update(job);
    for (const lane of job.lanes) this.viewOf(lane.member, lane.family).update(lane, job);
    if (job.checks !== before?.checks) this.paintBaseline();
    if (job.critiques !== before?.critiques) {
      this.lanes.classList.toggle("attacked", job.critiques.length > 0);
      this.drawArrows();
    }
    this.announce(before, job);
  }

  private viewOf(member: string, family: string): LaneView {
    const found = this.views.get(member);
    if (found !== undefined) return found;
    const families = [...new Set(this.job.lanes.map((lane) => lane.family))];
    const view = new LaneView(member, Math.max(0, families.indexOf(family)) % COLORS, this.words);
    if (this.views.size === 0) view.root.tabIndex = 0;
    this.views.set(member, view);
    this.lanes.append(view.root);
    return view;
  }

  private paintBaseline(): void {
    const checks = this.job.checks.filter((check) => check.about === "");
    this.baseline.replaceChildren(...checks.slice(-8).map((check) => checkEntry(check, this.words)));
    if (checks.length > 0) this.baseline.prepend(element("li", "quiet", this.words.asItIs));
    show(this.baseline, checks.length > 0);
  }

  private drawArrows(): void {
    const lanes = new Map([...this.views].map(([member, view]) => [member, view.root]));
    this.arrows.draw(this.job.critiques, lanes, this.lanes);
    this.highlight();
  }

  private highlight(): void {
    this.arrows.highlight(this.memberOf(document.activeElement));
  }

  private memberOf(target: Element | null): string | undefined {
    return [...this.views.values()].find((view) => target !== null && view.root.contains(target))?.member;
  }

  /** Lanes are one stop of the Tab key; arrows go between them, Page Up and Down through their text. */
  private key(event: KeyboardEvent): void {
    const views = [...this.views.values()];
    const place = views.findIndex((view) => view.root === document.activeElement);
    const here = views[place];
    if (!here) return;
    if (event.key === "PageUp" || event.key === "PageDown") here.scroll(event.key === "PageUp" ? -1 : 1);
    else {
      const last = views.length - 1;
      const target: Record<string, number> = {
        ArrowRight: Math.min(last, place + 1),
        ArrowDown: Math.min(last, place + 1),
        ArrowLeft: Math.max(0, place - 1),
        ArrowUp: Math.max(0, place - 1),
        Home: 0,
        End: last,
      };
      const next = views[target[event.key] ?? -1];
      if (next === undefined) return;
      here.root.tabIndex = -1;
      next.root.tabIndex = 0;
      next.root.focus();
    }
    event.preventDefault();
  }

  private announce(before: JobState | undefined, now: JobState): void {
    const { words } = this;
    const known = before?.job === now.job ? before : undefined;
    if (now.phase !== undefined && now.phase !== known?.phase && isRunning(now)) {
      this.announcer.tell(words.phases[now.phase] ?? now.phase);
    }
    // Of a job that was opened in the middle, what happened before is there to be read.
    const [checks, critiques] = [known?.checks ?? now.checks, known?.critiques ?? now.critiques];
    for (const check of now.checks.slice(-3).filter((each) => !checks.includes(each))) {
      this.announcer.tell(`${check.members.join(", ") || words.asItIs}: ${check.witness} ${check.summary}`);
    }
    for (const critique of now.critiques.slice(-3).filter((each) => !critiques.includes(each))) {
      const what = fill(words.attacks, critique.against.join(", ") || critique.about);
      this.announcer.tell(`${critique.from} ${what}: ${critique.broke ? words.broke : words.unbroken}`);
    }
    if (now.status !== undefined && known?.status === undefined) {
      this.announcer.tell(
        `${words.statuses[now.status] ?? now.status}: ${now.proposal?.title ?? now.reason}`,
      );
    }
  }
}

const host = acquireVsCodeApi();
let page: Page | undefined;

window.addEventListener("message", (event: MessageEvent<ToPage>) => {
  const message = event.data;
  if (message.kind === "job") {
    page ??= new Page(message.words, host);
    page.show(message.state);
  } else page?.hear(message);
});
host.postMessage({ kind: "ready" });
