/** What a sync process reports about itself: lines for people, warnings before the disk fills. */
import { counted } from '../../core/counted.ts';
import { humanSize } from '../../core/human-size.ts';
import type { SourceLag } from './change-source.ts';
import type { ChangeBatch } from './pending-changes.ts';

const MINUTE_MS = 60_000;
/** Without a limit of the source a warning comes at this size. */
const RETAINED_BYTES_MAX = 1024 ** 3;

export class SyncReport {
  readonly #note: (line: string) => void;
  readonly #nowMs: () => number;
  #changes = 0;
  #delayMs = 0;
  #reportedMs: number;
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor(note: (line: string) => void, nowMs: () => number) {
    this.#note = note;
    this.#nowMs = nowMs;
    this.#reportedMs = nowMs();
  }

  applied({ keys, related, committedMs }: ChangeBatch): void {
    for (const changed of keys.values()) this.#changes += changed.length;
    for (const { values } of related) this.#changes += values.length;
    if (committedMs !== null) this.#delayMs = this.#nowMs() - committedMs;
  }

  lag(lag: SourceLag): void {
    const nowMs = this.#nowMs();
    this.#warn(lag, nowMs);
    if (nowMs - this.#reportedMs < MINUTE_MS || this.#changes === 0) return;
    this.#note(
      `${counted(this.#changes, 'change')} applied; the last batch was searchable ${Math.round(this.#delayMs)} ms after its commit; lag ${humanSize(lag.bytes)}`,
    );
    this.#reportedMs = nowMs;
    this.#changes = 0;
  }

  /** Once a minute, while the source retains more than a quarter of what it may, or 1 GiB. */
  #warn({ retainedBytes, bytesLeft }: SourceLag, nowMs: number): void {
    const isMuch =
      bytesLeft === null ? retainedBytes > RETAINED_BYTES_MAX : retainedBytes > bytesLeft;
    if (!isMuch || nowMs - this.#warnedMs < MINUTE_MS) return;
    this.#warnedMs = nowMs;
    const left =
      bytesLeft === null
        ? 'max_slot_wal_keep_size is not set, so the log may fill the disk'
        : `at ${humanSize(bytesLeft)} more the slot is dropped, and all indexes are copied again`;
    this.#note(
      `warning: PostgreSQL retains ${humanSize(retainedBytes)} of log for this feed; ${left}`,
    );
  }
}
