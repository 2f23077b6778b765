/**
 * Pure: when a node that follows opens the database for writing. A probe, which opens the database once
 * more for reading, comes first: the reader that is open may have missed commits, or the store may be
 * away. It begins before the time of a takeover is over.
 */
import { decideRole, type RoleFacts } from './role-decision.ts';

/** Share of the time of a takeover after which a silent writer is probed. */
const PROBE_SHARE = 0.6;
/**
 * Share of the time of a takeover after which a probe is slow. At the latency of a cloud a probe takes
 * half of the time, when the log is full.
 */
const SLOW_SHARE = 0.8;

/** The facts about a node that do not change. */
export type OwnFacts = Pick<RoleFacts, 'role' | 'nodeId' | 'wasFenced' | 'takeoverMs'>;

export interface FollowerFacts extends Pick<RoleFacts, 'writer' | 'silentMs'> {
  /** Of the last commit that this node has read. */
  readonly position: number;
}

/** write: open the database for writing. */
export type TakeoverStep = 'follow' | 'probe' | 'write';

export class TakeoverWatch {
  readonly #own: OwnFacts;
  /** Position at which a probe found no later commit. */
  #probed: number | null = null;
  #isProbing = false;
  /** The last probe waited long for the store. */
  #isStoreSlow = false;

  constructor(own: OwnFacts) {
    this.#own = own;
  }

  /** After `probe` call `probed`; after `write` call `failed` if this node does not write then. */
  step({ writer, silentMs, position }: FollowerFacts): TakeoverStep {
    const { role, takeoverMs } = this.#own;
    const isDue = decideRole({ ...this.#own, hasDatabase: true, writer, silentMs }) === 'write';
    if (role !== 'all' || (!isDue && silentMs < takeoverMs * PROBE_SHARE)) return 'follow';
    if (this.#probed === position) return isDue ? 'write' : 'follow';
    if (this.#isProbing) return 'follow';
    this.#isProbing = true;
    return 'probe';
  }

  /**
   * @param found position of the last commit in the store; null = the probe failed
   * @param position of the last commit that this node has read
   * @returns false if the silence counts from now: the writer lives, or the store was away and not
   * the writer. A probe that is slow a second time in a row shows a slow store.
   */
  probed(found: number | null, position: number, tookMs: number): boolean {
    this.#isProbing = false;
    const wasSlow = this.#isStoreSlow;
    this.#isStoreSlow = found !== null && tookMs > this.#own.takeoverMs * SLOW_SHARE;
    if (found !== position || (this.#isStoreSlow && !wasSlow)) return false;
    this.#probed = position;
    return true;
  }

  /** The database could not be opened for writing; the silence counts from now. */
  failed(): void {
    this.#probed = null;
  }
}
