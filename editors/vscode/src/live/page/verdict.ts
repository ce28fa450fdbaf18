/** How it ended: the verdict, the findings, and what was argued and not adopted. */
import type { Finding } from "../../protocol.js";
import { duration } from "../figures.js";
import type { JobState } from "../state.js";
import { type Words, fill } from "../words.js";
import { element, show } from "./elements.js";

export class VerdictView {
  readonly root = element("section", "verdict");
  private shown = "";

  constructor(
    private readonly words: Words,
    private readonly open: (finding: string) => void,
  ) {
    this.root.setAttribute("aria-label", words.verdict);
    this.root.hidden = true;
  }

  update(job: JobState): void {
    const admitted = job.findings.filter((finding) => finding.admitted);
    const key = [
      job.job,
      job.status ?? "",
      job.proposal?.id ?? "",
      admitted.length,
      job.dissent.length,
    ].join();
    if (key === this.shown) return;
    this.shown = key;
    const parts = [...this.ending(job), ...this.findings(admitted), ...this.dissent(job)];
    this.root.replaceChildren(...parts);
    show(this.root, parts.length > 0);
  }

  private ending(job: JobState): HTMLElement[] {
    const { words } = this;
    const { proposal, status } = job;
    if (status === undefined && proposal === undefined) return [];
    const head = element("h2", "", status === undefined ? words.verdict : (words.statuses[status] ?? status));
    const parts: HTMLElement[] = [head];
    if (status !== undefined) head.append(element("span", "quiet", ` ${duration(job.seconds)}`));
    if (proposal !== undefined) {
      const line = element("p", "chosen");
      line.append(
        element(
          "span",
          `standing ${proposal.standing}`,
          words.standings[proposal.standing] ?? proposal.standing,
        ),
        element("strong", "", proposal.title),
        element("span", "quiet", fill(words.chosenFrom, proposal.families.join(", "))),
      );
      parts.push(line);
      if (proposal.weak) parts.push(element("p", "quiet", words.weak));
      const paths = proposal.paths.join(", ");
      parts.push(element("p", "quiet", `${fill(words.changedLines, proposal.changedLines)} · ${paths}`));
    }
    if (job.reason !== "" && job.reason !== proposal?.title) parts.push(element("p", "reason", job.reason));
    this.root.dataset["status"] = status ?? "";
    return parts;
  }

  private findings(findings: readonly Finding[]): HTMLElement[] {
    if (findings.length === 0) return [];
    const { words } = this;
    const list = element("ul", "findings");
    for (const finding of findings) {
      const entry = element("li", finding.severity);
      const link = element("button", "link", finding.title);
      link.type = "button";
      link.addEventListener("click", () => this.open(finding.id));
      entry.append(
        element(
          "span",
          `severity ${finding.severity}`,
          words.severities[finding.severity] ?? finding.severity,
        ),
        link,
        element(
          "span",
          "quiet",
          `${finding.path}:${finding.line + 1} · ${finding.reason || fill(words.families, finding.families.length)}`,
        ),
      );
      list.append(entry);
    }
    return [element("h3", "", words.findings), list];
  }

  private dissent(job: JobState): HTMLElement[] {
    if (job.dissent.length === 0 || job.status === undefined) return [];
    const details = element("details", "dissent");
    details.append(element("summary", "", fill(this.words.dissent, job.dissent.length)));
    for (const each of job.dissent) {
      const quote = element("blockquote");
      quote.append(
        element("p", "who", fill(this.words.said, each.member, each.family)),
        element("pre", "", each.text),
      );
      details.append(quote);
    }
    return [details];
  }
}
