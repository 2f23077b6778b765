/** A line about running work: bar, rate and time left. */
import { humanSize } from '../core/human-size.ts';

const BAR_CELLS = 30;
/** Earlier, rate and time left would be guesses. */
const MEASURED_MS_MIN = 1000;
const SECOND_MS = 1000;
const SECONDS_SHOWN_MAX = 90;
const MINUTE_S = 60;

export class Progress {
  readonly #nowMs: () => number;
  readonly #startMs: number;
  /** The first part that was reported: what an earlier run has done. */
  #from: number | null = null;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  /**
   * @param part 0 to 1
   * @param bytes done since the start; absent = the rate is not in bytes
   */
  line(part: number, label: string, bytes?: number): string {
    const done = Math.min(1, Math.max(0, part));
    this.#from ??= done;
    const full = Math.round(done * BAR_CELLS);
    const bar = `[${'='.repeat(full)}${' '.repeat(BAR_CELLS - full)}]`;
    return `${bar} ${Math.floor(done * 100)} % ${label}${this.#measured(done, this.#from, bytes)}`;
  }

  #measured(done: number, from: number, bytes: number | undefined): string {
    const elapsedMs = this.#nowMs() - this.#startMs;
    if (elapsedMs < MEASURED_MS_MIN) return '';
    const rate =
      bytes === undefined ? [] : [`${humanSize(Math.round((bytes * SECOND_MS) / elapsedMs))}/s`];
    const leftMs = (elapsedMs * (1 - done)) / (done - from);
    const left = Number.isFinite(leftMs) && leftMs > 0 ? [`${shownTime(leftMs)} left`] : [];
    const facts = [...rate, ...left];
    return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  }
}

/** A duration to the second, or to the minute when it is long. */
function shownTime(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS);
  return seconds <= SECONDS_SHOWN_MAX ? `${seconds} s` : `${Math.round(seconds / MINUTE_S)} min`;
}
