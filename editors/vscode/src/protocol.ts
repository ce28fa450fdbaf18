/**
 * The messages between this extension and `ensemble-lsp serve` (docs/protocol.md).
 *
 * Generated from the server's models; this module adds only names of its own choosing.
 */
export * from "./protocol.generated.js";
import type { Action, JobEvent, ProposalParams } from "./protocol.generated.js";

/** `ensemble/event` by its kind: `EventOf<"memberDelta">`. */
export type EventOf<Kind extends JobEvent["kind"]> = Extract<JobEvent, { kind: Kind }>;

/** `ensemble/proposal`. */
export type ProposalMessage = ProposalParams;

/** What a job is asked to do: `fix`, `review`, … */
export type JobAction = Action;
