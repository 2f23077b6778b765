/**
 * Chunks for one client of a stream: pushed as things happen, pulled as the client takes them. What
 * waits is bounded; a client that falls further behind loses the stream and may ask anew.
 */
import type { AnswerChunk } from './answer.ts';

export interface LiveFeedOptions {
  /** Bytes, or characters of strings, that may wait for the client. */
  readonly backlogMax: number;
  /** Ends the feed, and with it what waits. */
  readonly signal: AbortSignal;
}

export class LiveFeed implements AsyncIterable<AnswerChunk> {
  readonly #backlogMax: number;
  readonly #signal: AbortSignal;
  #waiting: AnswerChunk[] = [];
  #backlog = 0;
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor({ backlogMax, signal }: LiveFeedOptions) {
    this.#backlogMax = backlogMax;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.end(), { once: true });
  }

  /** False when the feed has ended: nothing more will reach the client. */
  push(chunk: AnswerChunk): boolean {
    if (this.#backlog + chunk.length > this.#backlogMax) this.end();
    if (this.#isEnded) return false;
    this.#waiting.push(chunk);
    this.#backlog += chunk.length;
    this.#wake();
    return true;
  }

  /** What was pushed before still reaches the client. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Legal once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerChunk, void, void> {
    while (!this.#signal.aborted) {
      const chunks = this.#waiting;
      this.#waiting = [];
      for (const chunk of chunks) {
        this.#backlog -= chunk.length;
        yield chunk;
      }
      if (this.#waiting.length > 0) continue;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
