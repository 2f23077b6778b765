/** Reports of a sync process: lines for people, metrics for Prometheus, warnings. */
import { counted } from '../../core/counted.ts';
import { humanSize } from '../../core/human-size.ts';
import { counter, gauge } from '../../observability/metric.ts';
import { prometheusText } from '../../observability/prometheus.ts';
import { type SourceLag, transactionName } from './change-source.ts';
import type { ChangeBatch } from './pending-changes.ts';

const MINUTE_MS = 60_000;
/** Without a limit of the source a warning comes at this size. */
const RETAINED_BYTES_MAX = 1024 ** 3;
/** A transaction is named when the log it holds passes this size, and whenever the log has doubled. */
const HELD_BYTES_MIN = 64 * 1024 ** 2;

export class SyncReport {
  readonly #note: (line: string) => void;
  readonly #nowMs: () => number;
  #changes = 0;
  #reportedChanges = 0;
  #reportedMs: number;
  #warnedMs = Number.NEGATIVE_INFINITY;
  /** From the oldest commit of the last batch until its documents were searchable. */
  #delayMs: number | null = null;
  #lag: SourceLag | null = null;
  /** Of the oldest open transaction: first seen then, named at these bytes. */
  #oldest: { readonly id: string; readonly seenMs: number; namedAtBytes: number } | null = null;

  constructor(note: (line: string) => void, nowMs: () => number) {
    this.#note = note;
    this.#nowMs = nowMs;
    this.#reportedMs = nowMs();
  }

  applied({ keys, related, committedMs }: ChangeBatch): void {
    for (const changed of keys.values()) this.#changes += changed.length;
    for (const { values } of related) this.#changes += values.length;
    if (committedMs !== null) this.#delayMs = Math.max(0, this.#nowMs() - committedMs);
  }

  lag(lag: SourceLag): void {
    const nowMs = this.#nowMs();
    this.#lag = lag;
    this.#warn(lag, nowMs);
    this.#warnOfTransaction(lag, nowMs);
    const changes = this.#changes - this.#reportedChanges;
    if (nowMs - this.#reportedMs < MINUTE_MS || changes === 0) return;
    const delay =
      this.#delayMs === null
        ? ''
        : `, the last ones searchable ${Math.round(this.#delayMs)} ms after their commit`;
    this.#note(`${counted(changes, 'change')} applied${delay}; lag ${humanSize(lag.bytes)}`);
    this.#reportedMs = nowMs;
    this.#reportedChanges = this.#changes;
  }

  /** In the text format of Prometheus; values that are not known are left out. */
  metrics(): string {
    const { bytes = null, retainedBytes = null, bytesLeft = null } = this.#lag ?? {};
    const { pid, state, seconds = null } = this.#lag?.oldestTransaction ?? {};
    const gauges = [
      [
        'delay_seconds',
        'From the oldest commit of the last batch until it was searchable',
        this.#delayMs === null ? null : this.#delayMs / 1000,
      ],
      ['lag_bytes', 'Log after the acknowledged position', bytes],
      ['retained_bytes', 'Log that the slot retains', retainedBytes],
      [
        'retainable_bytes',
        'Log that the slot may still retain before it is dropped; absent without a limit',
        bytesLeft,
      ],
      [
        'oldest_transaction_seconds',
        'Age of the oldest open transaction that has written; PostgreSQL retains the log since its begin',
        seconds,
        { pid: String(pid ?? ''), state: state ?? '' },
      ],
    ] as const;
    return prometheusText([
      [
        counter('gannet_sync_changes_total', 'Changed keys that were applied', this.#changes),
        ...gauges.flatMap(([name, help, value, labels = {}]) =>
          value === null ? [] : [gauge(`gannet_sync_${name}`, help, [[labels, value]])],
        ),
      ],
    ]);
  }

  /** Once a minute, while the source retains more than half of what it may, or 1 GiB. */
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

  /** The log between the acknowledged position and what the slot retains is held by a transaction. */
  #warnOfTransaction({ bytes, retainedBytes, oldestTransaction }: SourceLag, nowMs: number): void {
    if (oldestTransaction === null) {
      this.#oldest = null;
      return;
    }
    const { id, seconds } = oldestTransaction;
    if (this.#oldest?.id !== id) this.#oldest = { id, seenMs: nowMs, namedAtBytes: HELD_BYTES_MIN };
    const ageMs = seconds === null ? nowMs - this.#oldest.seenMs : seconds * 1000;
    const heldBytes = retainedBytes - bytes;
    if (ageMs < MINUTE_MS || heldBytes < this.#oldest.namedAtBytes) return;
    this.#oldest.namedAtBytes = 2 * heldBytes;
    this.#note(
      `warning: PostgreSQL retains ${humanSize(heldBytes)} of log because of ${transactionName(oldestTransaction)}`,
    );
  }
}
