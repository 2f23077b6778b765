/**
 * Pure: when a node that follows opens the database for writing. Probes at an interval list the newest
 * objects of the log of the database, and the writer is silent while its log does not grow. Commits
 * that this node reads are no measure: it reads them later. Time in which the store answered badly
 * counts neither for nor against the writer. The last probe begins when the time of a takeover is over,
 * so a commit that came during a pause of this process is seen.
 */
import { decideRole, type RoleFacts } from './role-decision.ts';
import type { WriterNote } from './writer-note.ts';

/**
 * Share of the time of a takeover between two probes. An absence of the store that hides heartbeats of
 * the writer is longer, so it meets a probe. The silence counts from the probe that finds the last write,
 * which is half of this later on average.
 */
const PROBE_SHARE = 0.125;
/** Share of the time of a takeover after which a probe is slow. */
const SLOW_SHARE = 0.3;
/** After which a probe is sent again: one connection that hangs is no slow store. */
export const RESEND_SHARE = 0.2;
/** After which the store was away: the writer needs some time until it writes again. */
const AWAY_SHARE = 0.5;

/** The facts about a node that do not change. */
export type OwnFacts = Pick<RoleFacts, 'role' | 'nodeId' | 'wasFenced' | 'takeoverMs'>;

/** write: open the database for writing. */
export type TakeoverStep = 'follow' | 'probe' | 'write';

export class TakeoverWatch {
  readonly #own: OwnFacts;
  /** The silence of the writer counts from here, by a monotonic clock. */
  #heardMs: number;
  #probedMs = Number.NEGATIVE_INFINITY;
  /** End of the last probe. */
  #answeredMs: number;
  /** Newest object of the log; null = no probe has found one. */
  #found: string | null = null;
  #isProbing = false;
  /** The last probe began when the time of a takeover was over. */
  #isLastProbe = false;
  #mayWrite = false;
  /** The last probe waited long for the store. */
  #isStoreSlow = false;
  /** Note as it was when another node opened the database; only silence counts until it changes. */
  readonly #openedUnder: WriterNote | null;

  /** @param openedUnder as stored if another node opens the database for writing, else null */
  constructor(own: OwnFacts, nowMs: number, openedUnder: WriterNote | null = null) {
    this.#own = own;
    this.#openedUnder = openedUnder;
    this.#heardMs = nowMs;
    this.#answeredMs = nowMs;
  }

  /** Since the store showed a write, without the time in which it answered badly. */
  silentMs(nowMs: number): number {
    return nowMs - this.#heardMs;
  }

  /**
   * After `probe` call `probed`; after `write` call `failed` if this node does not write then.
   * @param writer as stored
   */
  step(writer: WriterNote, nowMs: number): TakeoverStep {
    const { role, takeoverMs } = this.#own;
    if (role !== 'all' || this.#isProbing) return 'follow';
    const silentMs = this.silentMs(nowMs);
    const isBeingOpened = writer === this.#openedUnder;
    const facts = { ...this.#own, hasDatabase: true, writer, isBeingOpened, silentMs };
    const isDue = decideRole(facts) === 'write';
    if (isDue && this.#mayWrite) return 'write';
    if (!isDue && nowMs < this.#probedMs + takeoverMs * PROBE_SHARE) return 'follow';
    this.#probedMs = nowMs;
    this.#isProbing = true;
    this.#isLastProbe = isDue;
    return 'probe';
  }

  /**
   * @param found newest object of the log; null = the probe failed
   * @returns false if the probe does not show that the writer is silent. A probe that is slow a second
   * time in a row shows a slow store.
   */
  probed(found: string | null, tookMs: number, nowMs: number): boolean {
    const { takeoverMs } = this.#own;
    const wasSlow = this.#isStoreSlow;
    this.#isStoreSlow = found !== null && tookMs > takeoverMs * SLOW_SHARE;
    const isUsable = found !== null && (wasSlow || !this.#isStoreSlow);
    const hasGrown = found !== null && this.hasGrown(found);
    const wasAway = !isUsable && tookMs > takeoverMs * AWAY_SHARE;
    if (hasGrown || wasAway) this.#heardMs = nowMs;
    else if (!isUsable) this.#heardMs += nowMs - this.#answeredMs;
    this.#mayWrite = isUsable && !hasGrown && this.#isLastProbe;
    this.#isProbing = false;
    this.#answeredMs = nowMs;
    this.#found = found ?? this.#found;
    return isUsable && !hasGrown;
  }

  /** False: the last probe is older than the time between two probes. */
  isRecent(nowMs: number): boolean {
    return nowMs - this.#answeredMs <= this.#own.takeoverMs * PROBE_SHARE;
  }

  /** @param found newest object of the log */
  hasGrown(found: string): boolean {
    return found !== this.#found;
  }

  /** The database could not be opened for writing; the silence counts from now. */
  failed(nowMs: number): void {
    this.#heardMs = nowMs;
    this.#mayWrite = false;
  }
}
