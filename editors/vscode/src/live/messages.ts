/** What the extension host and the live view's page tell each other. */
import type { JobEvent } from "../protocol.js";
import type { JobState } from "./state.js";
import type { Words } from "./words.js";

export type ToPage =
  /** Show this job from now on. `words` comes with the first one. */
  | { readonly kind: "job"; readonly state: JobState; readonly words: Words }
  /** What happened since, in order. */
  | { readonly kind: "events"; readonly events: readonly JobEvent[] };

export const BUTTONS = ["decide", "cancel", "debate", "rerun", "transcript", "proposal"] as const;

export type Button = (typeof BUTTONS)[number];

export type FromPage =
  | { readonly kind: "ready" }
  | { readonly kind: "button"; readonly button: Button }
  /** Go to a finding's place; lines are 0-based. */
  | { readonly kind: "finding"; readonly finding: string };

/** Read what the page sent; the page is ours, but what is shown in it is not. */
export function parsed(message: unknown): FromPage | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { kind, button, finding } = message as Record<string, unknown>;
  if (kind === "ready") return { kind };
  if (kind === "button") {
    const known = BUTTONS.find((each) => each === button);
    return known === undefined ? undefined : { kind, button: known };
  }
  if (kind === "finding" && typeof finding === "string") return { kind, finding };
  return undefined;
}
