/**
 * The audit log of a front: changes and refused authorizations, queued and written in the background.
 * While the disk is full the queue waits; lines that it cannot hold are counted, and the count is
 * written when the disk has room again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS, utcDay } from '../core/calendar-day.ts';
import { counter, type Metric } from './metric.ts';

const LINES_MAX = 10_000;
/** Refused requests that a front records in a minute, so that a flood does not displace changes. */
const REFUSALS_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
/** Lines of this time share a write, which takes as much processor time as a request. */
const BATCH_MS = 50;
const RETRY_MS = 1000;
const SYNC_MS = 1000;

export interface AuditLine {
  /** RFC 3339. */
  readonly time: string;
  /** Id of the request, as in `X-Request-Id`. */
  readonly request: string;
  /** `key:UID`, `oidc:SUBJECT`, `master`, `anyone` without a master key; null = unknown. */
  readonly who: string | null;
  /** Name of the API key. */
  readonly name?: string;
  readonly address: string;
  readonly method: string;
  /** Path of the route definition. */
  readonly route: string;
  readonly index?: string;
  /** The other parameter of the path, or the id of a new object; never the value of a key. */
  readonly target?: string;
  readonly task?: number;
  /** null = the client left before the answer. */
  readonly status: number | null;
  /** Code of the error. */
  readonly error?: string;
}

export interface AuditPage {
  /** JSON objects, the newest first. */
  readonly lines: readonly string[];
  /** Position of the older lines; null = there are none. */
  readonly next: string | null;
}

interface AuditLogOptions {
  readonly files: {
    append(day: string, lines: string): Promise<void>;
    sync(): Promise<void>;
    removeOld(today: string): Promise<void>;
    page(from: string | null, limit: number): Promise<AuditPage | null>;
  };
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { error(facts: object, message: string): void };
}

export class AuditLog {
  readonly #options: AuditLogOptions;
  #lines: string[] = [];
  #writing: Promise<void> | null = null;
  #isStopped = false;
  #isSynced = true;
  #isFailing = false;
  #recordedCount = 0;
  #lostCount = 0;
  /** Lost lines that no line reports yet. */
  #unreported = 0;
  #refusals = { untilMs: 0, count: 0 };
  #timers: NodeJS.Timeout[] = [];

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  start(): void {
    const { files, now, log } = this.#options;
    const attempt = (work: Promise<void>) =>
      work.catch((err: unknown) => log.error({ err }, 'the audit log could not be maintained'));
    const sync = () => {
      if (this.#isSynced) return;
      this.#isSynced = true;
      void attempt(files.sync());
    };
    const clean = () => void attempt(files.removeOld(utcDay(now())));
    clean();
    this.#timers = [setInterval(sync, SYNC_MS).unref(), setInterval(clean, HOUR_MS).unref()];
  }

  /** Writes the queued entries, once. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#isStopped = true;
    await this.#writing;
    await this.#options.files.sync().catch(() => undefined);
  }

  changed(line: AuditLine): void {
    this.#recordedCount += 1;
    if (this.#lines.length < LINES_MAX) this.#lines.push(`${JSON.stringify(line)}\n`);
    else this.#lose();
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  refused(line: AuditLine): void {
    const nowMs = this.#options.now();
    if (nowMs >= this.#refusals.untilMs) this.#refusals = { untilMs: nowMs + MINUTE_MS, count: 0 };
    this.#refusals.count += 1;
    if (this.#refusals.count <= REFUSALS_PER_MINUTE) this.changed(line);
    else this.#lose();
  }

  /** Includes the entries of this front, unless the disk is full. @returns null for an invalid `from` */
  async page(from: string | null, limit: number): Promise<AuditPage | null> {
    if (this.#writing !== null)
      await Promise.race([this.#writing, sleep(RETRY_MS, undefined, { ref: false })]);
    return this.#options.files.page(from, limit);
  }

  metrics(): Metric[] {
    return [
      counter('gannet_audit_lines_total', 'Lines recorded for the audit log', this.#recordedCount),
      counter(
        'gannet_audit_lost_lines_total',
        'Lines that the audit log lacks: the disk is full, or too many requests were refused',
        this.#lostCount,
      ),
    ];
  }

  #lose(): void {
    this.#lostCount += 1;
    this.#unreported += 1;
  }

  /** Ends when the queue is empty. */
  async #write(): Promise<void> {
    while (this.#lines.length > 0) {
      await sleep(BATCH_MS);
      const lost = this.#unreported;
      const time = new Date(this.#options.now()).toISOString();
      const lines = this.#lines;
      this.#lines = [];
      if (lost > 0) lines.unshift(`${JSON.stringify({ time, lost })}\n`);
      try {
        await this.#options.files.append(time.slice(0, 10), lines.join(''));
        this.#unreported -= lost;
        this.#isSynced = false;
        this.#isFailing = false;
      } catch (err) {
        if (lost > 0) lines.shift();
        this.#lines = [...lines, ...this.#lines];
        if (!this.#isFailing)
          this.#options.log.error({ err }, 'the audit log cannot be written; its lines wait');
        this.#isFailing = true;
        if (this.#isStopped) return;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }
}
