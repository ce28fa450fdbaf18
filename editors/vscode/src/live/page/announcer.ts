/** Tells a screen reader what happened, politely and not more often than it can be listened to. */

/** Milliseconds between two announcements. */
const PAUSE = 2_500;

/** Sentences that wait at most; of a flood, the newest are told. */
const WAITING = 6;

export class Announcer {
  private waiting: string[] = [];
  private timer: number | undefined;

  constructor(private readonly region: HTMLElement) {}

  tell(sentence: string): void {
    this.waiting = [...this.waiting, sentence].slice(-WAITING);
    this.timer ??= window.setTimeout(() => this.speak(), this.region.textContent === "" ? 0 : PAUSE);
  }

  private speak(): void {
    this.region.textContent = this.waiting.join(". ");
    this.waiting = [];
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      if (this.waiting.length > 0) this.speak();
    }, PAUSE);
  }
}
