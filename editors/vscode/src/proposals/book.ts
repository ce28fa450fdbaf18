/** All proposals that wait for the person, kept in step with the server. Knows no editor. */
import { Emitter } from "../emitter.js";
import type { Applied, ProposalFile, ProposalMessage } from "../protocol.js";
import type { Session } from "../session.js";
import type { Review } from "./review.js";
import { allHunks, canTick, isTicked, tickedHunks } from "./review.js";

export interface Change {
  readonly proposal: string;
  readonly title: string;
  /** `arrived` once for each proposal, then `changed`; `gone` when nothing of it is left to decide. */
  readonly kind: "arrived" | "changed" | "gone";
  /** URIs of the files whose texts are different now. */
  readonly uris: ReadonlySet<string>;
}

export class ProposalBook {
  private readonly reviews = new Map<string, Review>();
  private readonly known = new Set<string>();
  private readonly changes = new Emitter<Change>();
  readonly onChange = this.changes.event;
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(private readonly session: Session) {
    this.subscriptions = [
      session.onProposal((message) => void this.take(message)),
      // A new server knows nothing of what an earlier one proposed.
      session.onState((state) => {
        if (state.kind !== "running") for (const id of [...this.reviews.keys()]) this.remove(id);
      }),
    ];
  }

  get all(): Review[] {
    return [...this.reviews.values()];
  }

  get(proposal: string): Review | undefined {
    return this.reviews.get(proposal);
  }

  file(proposal: string, uri: string): ProposalFile | undefined {
    return this.reviews.get(proposal)?.message.files.find((file) => file.uri === uri);
  }

  /** Tick or untick hunks; conflicts stay out. */
  tick(proposal: string, hunks: Iterable<string>, on: boolean): void {
    const review = this.reviews.get(proposal);
    if (review === undefined) return;
    const unticked = new Set(review.unticked);
    for (const hunk of hunks) {
      if (on) unticked.delete(hunk);
      else unticked.add(hunk);
    }
    this.put({ message: review.message, unticked });
  }

  toggle(proposal: string, hunk: string): void {
    const review = this.reviews.get(proposal);
    if (review !== undefined) this.tick(proposal, [hunk], review.unticked.has(hunk));
  }

  /** Look at another candidate; rejects with the server's error. */
  async choose(proposal: string, candidate: string): Promise<void> {
    this.answered(await this.session.request("ensemble/candidate", { proposal, candidate }));
  }

  /** Apply the named hunks, or all that are ticked. Nothing is sent when there are none. */
  async accept(proposal: string, hunks?: readonly string[]): Promise<Applied> {
    const review = this.reviews.get(proposal);
    const wanted = review === undefined ? [] : [...(hunks ?? tickedHunks(review))];
    if (review === undefined || wanted.length === 0) return { applied: false };
    const answer = await this.session.execute("ensemble.apply", {
      proposal,
      hunks: wanted,
      candidate: review.message.candidate,
    });
    await this.refresh(proposal);
    return answer;
  }

  /** Turn the whole proposal down, or single hunks of it. */
  async reject(proposal: string, hunks?: readonly string[]): Promise<void> {
    await this.session.execute("ensemble.reject", {
      proposal,
      ...(hunks === undefined ? {} : { hunks: [...hunks] }),
    });
    await this.refresh(proposal);
  }

  /** Ask the server how a proposal stands; one that it does not know any more is gone. */
  async refresh(proposal: string): Promise<void> {
    const review = this.reviews.get(proposal);
    if (review === undefined) return;
    let message: ProposalMessage;
    try {
      const { candidate } = review.message;
      message = await this.session.request("ensemble/candidate", { proposal, candidate });
    } catch {
      this.remove(proposal);
      return;
    }
    this.answered(message);
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changes.dispose();
  }

  private answered(message: ProposalMessage): void {
    const review = this.reviews.get(message.proposal);
    if (review !== undefined) this.put({ message, unticked: review.unticked });
  }

  private async take(message: ProposalMessage): Promise<void> {
    const review = this.reviews.get(message.proposal);
    if (review === undefined) {
      this.put({ message, unticked: new Set() });
    } else if (review.message.candidate === message.candidate) {
      // Messages may overtake the answer to a question about the same proposal.
      if (message.revision >= review.message.revision) this.put({ message, unticked: review.unticked });
    } else await this.refresh(message.proposal);
  }

  private put(review: Review): void {
    const { message } = review;
    const before = this.reviews.get(message.proposal);
    if (allHunks(message).length === 0) {
      this.remove(message.proposal);
      return;
    }
    this.reviews.set(message.proposal, review);
    const kind = this.known.has(message.proposal) ? "changed" : "arrived";
    this.known.add(message.proposal);
    const { proposal, title } = message;
    this.changes.fire({ proposal, title, kind, uris: changedFiles(before, review) });
  }

  private remove(proposal: string): void {
    const review = this.reviews.get(proposal);
    if (review === undefined) return;
    this.reviews.delete(proposal);
    const { title, files } = review.message;
    this.changes.fire({ proposal, title, kind: "gone", uris: new Set(files.map((file) => file.uri)) });
  }
}

/** URIs of the files that read differently in two views of the same proposal. */
export function changedFiles(before: Review | undefined, after: Review): Set<string> {
  const earlier = before === undefined ? new Map<string, string>() : fingerprints(before);
  const now = fingerprints(after);
  const uris = new Set([...earlier.keys(), ...now.keys()]);
  return new Set([...uris].filter((uri) => earlier.get(uri) !== now.get(uri)));
}

function fingerprints(review: Review): Map<string, string> {
  return new Map(
    review.message.files.map((file) => {
      const hunks = file.hunks.map((hunk) => [
        hunk.id,
        hunk.oldStart,
        canTick(file, hunk),
        isTicked(review, file, hunk),
      ]);
      return [file.uri, JSON.stringify([review.message.candidate, file.version, file.conflict, hunks])];
    }),
  );
}
