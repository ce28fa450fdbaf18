/**
 * Every word that the live view's page shows. The extension host fills it in the person's language and sends it
 * along: the page itself has no access to VS Code's translations.
 */
import { count } from "./figures.js";

/** What translates: `vscode.l10n.t`, or the identity in tests. `{0}`, `{1}` are filled in by the page. */
export type Translate = (message: string) => string;

export interface Words {
  readonly [key: string]: string | Readonly<Record<string, string>>;
  readonly title: string;
  readonly actions: Readonly<Record<string, string>>;
  readonly modes: Readonly<Record<string, string>>;
  readonly phases: Readonly<Record<string, string>>;
  readonly purposes: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Record<string, string>>;
  readonly statuses: Readonly<Record<string, string>>;
  readonly standings: Readonly<Record<string, string>>;
  readonly severities: Readonly<Record<string, string>>;
  readonly starting: string;
  readonly round: string;
  readonly waiting: string;
  readonly answered: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly unasked: string;
  readonly local: string;
  readonly oneToken: string;
  readonly tokens: string;
  readonly speed: string;
  readonly estimate: string;
  readonly lanes: string;
  readonly writes: string;
  readonly checks: string;
  readonly asItIs: string;
  readonly attacked: string;
  readonly attacks: string;
  readonly broke: string;
  readonly unbroken: string;
  readonly noEvidence: string;
  readonly revised: string;
  readonly kept: string;
  readonly withdrawn: string;
  readonly moved: string;
  readonly stands: string;
  readonly because: string;
  readonly conformity: string;
  readonly verdict: string;
  readonly chosenFrom: string;
  readonly weak: string;
  readonly changedLines: string;
  readonly findings: string;
  readonly families: string;
  readonly dissent: string;
  readonly said: string;
  readonly decide: string;
  readonly cancel: string;
  readonly debate: string;
  readonly debateFor: string;
  readonly rerun: string;
  readonly transcript: string;
  readonly proposal: string;
}

export function words(t: Translate): Words {
  return {
    title: t("Ensemble: the panel at work"),
    actions: {
      fix: t("Fix"),
      review: t("Review"),
      explain: t("Explain"),
      test: t("Write tests"),
      secure: t("Secure"),
      locate: t("Locate the bug"),
      refactor: t("Refactor"),
      rewrite: t("Rewrite"),
      debate: t("Debate"),
    },
    modes: { quick: t("quick"), panel: t("panel"), debate: t("debate") },
    phases: {
      gather: t("Gather"),
      draft: t("Draft"),
      check: t("Check"),
      critique: t("Critique"),
      revise: t("Revise"),
      escalate: t("Escalate"),
      decide: t("Decide"),
    },
    purposes: {
      draft: t("drafts"),
      repair: t("repairs"),
      critique: t("criticises"),
      revise: t("revises"),
      refute: t("refutes"),
      escalate: t("is asked last"),
      position: t("takes a position"),
      synthesis: t("sums up"),
    },
    outcomes: {
      passed: t("passed"),
      failed: t("failed"),
      timedOut: t("timed out"),
      error: t("could not be used"),
      notRun: t("not run"),
    },
    statuses: {
      done: t("Done"),
      nothing: t("Nothing to report"),
      abstained: t("The panel abstains"),
      cancelled: t("Cancelled"),
      failed: t("Failed"),
      overBudget: t("Budget used up"),
    },
    standings: { verified: t("verified"), agreed: t("agreed"), unverified: t("unverified") },
    severities: { critical: t("critical"), warning: t("warning"), info: t("info"), hint: t("hint") },
    starting: t("Starting…"),
    round: t("round {0}"),
    waiting: t("waits"),
    answered: t("answered"),
    failed: t("failed"),
    cancelled: t("cancelled"),
    unasked: t("not asked"),
    local: t("local"),
    oneToken: t("1 token"),
    tokens: t("{0} tokens"),
    speed: t("{0} tokens/s"),
    estimate: t("of about {0}"),
    lanes: t("Members of the panel"),
    writes: t("What {0} writes"),
    checks: t("Checks"),
    asItIs: t("The code as it is"),
    attacked: t("attacked by {0}"),
    attacks: t("attacks {0}"),
    broke: t("broke it"),
    unbroken: t("did not break it"),
    noEvidence: t("no evidence"),
    revised: t("revised its answer"),
    kept: t("kept its answer"),
    withdrawn: t("withdrew its answer"),
    moved: t("moved"),
    stands: t("stands"),
    because: t("because of {0}"),
    conformity: t("without new evidence, so it does not count as support"),
    verdict: t("Verdict"),
    chosenFrom: t("from {0}"),
    weak: t("weak: the check that passed would miss most changes here"),
    changedLines: t("{0} changed lines"),
    findings: t("Findings"),
    families: t("{0} families"),
    dissent: t("Dissent ({0})"),
    said: t("{0} ({1})"),
    decide: t("Answer now"),
    cancel: t("Cancel"),
    debate: t("Debate this"),
    debateFor: t("Debate this, about {0}"),
    rerun: t("Run again"),
    transcript: t("Open transcript"),
    proposal: t("Review the change"),
  };
}

/** "1 token", "4.1k tokens". */
export function tokensInWords(words: Words, tokens: number): string {
  return tokens === 1 ? words.oneToken : fill(words.tokens, count(tokens));
}

/** Put values into the places `{0}`, `{1}`. */
export function fill(template: string, ...values: readonly (string | number)[]): string {
  return template.replace(/\{(\d)\}/g, (place, number: string) => String(values[Number(number)] ?? place));
}
