/** How often a server that ends by itself is started again. */

/** Milliseconds before the first, second, … restart. */
const DELAYS = [500, 2_000, 8_000] as const;

/** A server that ran this long, in milliseconds, before it ended starts the count anew. */
const STEADY = 180_000;

export class Restarts {
  private used = 0;
  private startedAt: number | undefined;

  constructor(private readonly now: () => number = Date.now) {}

  started(): void {
    this.startedAt = this.now();
  }

  /** Milliseconds to wait before the server is started again, or undefined when it was tried often enough. */
  next(): number | undefined {
    if (this.startedAt !== undefined && this.now() - this.startedAt >= STEADY) this.used = 0;
    this.startedAt = undefined;
    const delay = DELAYS[this.used];
    this.used += 1;
    return delay;
  }

  /** The person asked for a start: count anew. */
  reset(): void {
    this.used = 0;
    this.startedAt = undefined;
  }
}
