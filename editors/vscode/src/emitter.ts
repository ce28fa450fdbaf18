/** An event emitter with the shape of VS Code's, for modules that run without the editor too. */
import type { Disposable, Event } from "vscode";

export class Emitter<T> {
  private readonly listeners = new Set<(value: T) => unknown>();

  readonly event: Event<T> = (listener, thisArgument?, disposables?: Disposable[]) => {
    const bound = listener.bind(thisArgument) as (value: T) => unknown;
    this.listeners.add(bound);
    const subscription = { dispose: () => void this.listeners.delete(bound) };
    disposables?.push(subscription);
    return subscription;
  };

  fire(value: T): void {
    for (const listener of [...this.listeners]) listener(value);
  }

  dispose(): void {
    this.listeners.clear();
  }
}
