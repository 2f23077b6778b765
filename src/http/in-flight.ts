/**
 * The exchanges of a server that have not been answered, so that it can close when the last one is.
 * Streams, which might never end, are asked to.
 */
import type { BodyWriterEvents } from './exchange.ts';

export class InFlight {
  readonly #streams = new Set<BodyWriterEvents>();
  #count = 0;
  #isClosing = false;
  #waiters: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  enter(): void {
    this.#count++;
  }

  /** @param stream the answer's, if it was one */
  leave(stream: BodyWriterEvents | null): void {
    if (stream !== null) this.#streams.delete(stream);
    this.#count--;
    if (this.#count > 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  /** The exchange that has entered answers with a stream. */
  addStream(stream: BodyWriterEvents): void {
    this.#streams.add(stream);
    if (this.#isClosing) queueMicrotask(() => stream.stop());
  }

  /** Resolves when nothing is in flight, or after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    for (const stream of [...this.#streams]) stream.stop();
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
