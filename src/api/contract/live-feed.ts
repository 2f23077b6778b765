/**
 * Chunks for one client of a stream: pushed by events, read at the client's pace. The backlog is
 * bounded; a client that falls further behind loses the stream and may reconnect.
 */
import type { AnswerChunk } from './answer.ts';

export interface LiveFeedOptions {
  /** Maximum bytes, or characters of strings, in the backlog. */
  readonly backlogMax: number;
  /** Ends the feed and drops its backlog. */
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

  /** False if the feed has ended and the chunk is dropped. */
  push(chunk: AnswerChunk): boolean {
    if (this.#backlog + chunk.length > this.#backlogMax) this.end();
    if (this.#isEnded) return false;
    this.#waiting.push(chunk);
    this.#backlog += chunk.length;
    this.#wake();
    return true;
  }

  /** Ends the feed after its backlog. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** May be iterated once. */
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
