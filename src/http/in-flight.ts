/**
 * Unanswered exchanges of a server, so that it can close after the last one. Streams are stopped.
 */
import { Waiters } from '../core/waiters.ts';
import type { BodyWriterEvents } from './exchange.ts';

export class InFlight {
  readonly #streams = new Set<BodyWriterEvents>();
  #count = 0;
  #isClosing = false;
  readonly #empty = new Waiters();

  get count(): number {
    return this.#count;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  enter(): void {
    this.#count++;
  }

  /** @param stream the stream of the answer, or null */
  leave(stream: BodyWriterEvents | null): void {
    if (stream !== null) this.#streams.delete(stream);
    this.#count--;
    if (this.#count <= 0) this.#empty.end();
  }

  /** Registers the stream of an exchange that has entered. */
  addStream(stream: BodyWriterEvents): void {
    this.#streams.add(stream);
    if (this.#isClosing) queueMicrotask(() => stream.stop());
  }

  /** Resolves when nothing is in flight, or after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    for (const stream of [...this.#streams]) stream.stop();
    if (this.#count > 0) await this.#empty.wait(graceMs);
  }
}
