/** Says now and then in the log how far something long is. */
import type { Logger } from '../../observability/logger.ts';

const BETWEEN_MS = 5000;

export class ProgressLines {
  readonly #log: Pick<Logger, 'info'>;
  readonly #nowMs: () => number;
  #lastMs: number;

  constructor(log: Pick<Logger, 'info'>, nowMs: () => number = () => performance.now()) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#lastMs = nowMs();
  }

  report(text: string): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#lastMs < BETWEEN_MS) return;
    this.#lastMs = nowMs;
    this.#log.info(text);
  }
}
