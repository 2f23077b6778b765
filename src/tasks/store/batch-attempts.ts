/**
 * Batches that ended the process, found again at its next start: what runs is noted before it
 * runs, under the key ("meta", "attempt") or ("meta", "attemptBeside"), and the note goes with the
 * commit. A batch that was cut off runs once more as it was; then in ever smaller parts, until the
 * task that does it is alone. That one is given up when it was cut off too often in a row: soon if
 * the process ended by what it did itself, later if it was killed, which may have other reasons.
 */
import type { ProcessEnd } from '../../core/process-end.ts';
import { encodeKey } from '../../storage/database/key-encoding.ts';
import {
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../../storage/database/key-value-store.ts';
import { rangesInclude, toRanges } from './uid-ranges.ts';

/** A task that was alone the last time is failed after so many ends that were the process's own. */
export const OWN_ENDS_MAX = 3;
/**
 * And after so many of whatever kind: random kills from outside hit one task three times in fifty
 * (test/crash), and what was acknowledged must not be lost to them.
 */
export const CUT_OFFS_MAX = 10;
/** From the second time on, the next batch holds this part of the tasks. */
const SHRINK = 10;

/** JSON of the note. */
interface Note {
  /** `toRanges` of the tasks that run; empty between batches. */
  readonly running: readonly number[];
  readonly suspects: Suspects;
}

/** Tasks of the batch that was cut off last. */
interface Suspects {
  /** `toRanges` of those that have not ended. */
  readonly uids: readonly number[];
  /** How often in a row a batch that began with one of them was cut off. */
  readonly cutOffs: number;
  /** Of these, how many were ends of the process's own. */
  readonly ownEnds: number;
  readonly lastEnd: ProcessEnd;
  /** Tasks that a batch with one of them may hold. */
  readonly tasksMax: number;
}

const NOBODY: Suspects = {
  uids: [],
  cutOffs: 0,
  ownEnds: 0,
  lastEnd: 'outside',
  tasksMax: Number.MAX_SAFE_INTEGER,
};

export class BatchAttempts {
  readonly #store: KeyValueStore;
  readonly #key: Uint8Array;
  #suspects: Suspects;
  #running: readonly number[] = [];

  private constructor(store: KeyValueStore, key: Uint8Array, suspects: Suspects) {
    this.#store = store;
    this.#key = key;
    this.#suspects = suspects;
  }

  /**
   * @param name of the note: batches that may run at the same time have one each
   * @param lastEnd how the process before this one ended
   */
  static async open(
    store: KeyValueStore,
    name: 'attempt' | 'attemptBeside',
    lastEnd: ProcessEnd,
  ): Promise<BatchAttempts> {
    const key = encodeKey('meta', name);
    const value = await store.get(key);
    if (value === null) return new BatchAttempts(store, key, NOBODY);
    const note = JSON.parse(new TextDecoder().decode(value)) as Note;
    return new BatchAttempts(store, key, afterStart(note, lastEnd));
  }

  /** Tasks that a batch beginning with this one may hold. */
  tasksMax(uid: number): number {
    return this.#isSuspect(uid) ? this.#suspects.tasksMax : Number.MAX_SAFE_INTEGER;
  }

  /**
   * How often the task, alone in its batch, has ended the process, if that is too often to try it
   * again; else null.
   */
  givenUpAfter(uids: readonly number[]): number | null {
    const [only] = uids;
    if (only === undefined || uids.length > 1 || !this.#isSuspect(only)) return null;
    const { cutOffs, ownEnds, lastEnd } = this.#suspects;
    const isTooOften = cutOffs >= CUT_OFFS_MAX || (lastEnd === 'own' && ownEnds >= OWN_ENDS_MAX);
    return isTooOften && wasAlone(this.#suspects) ? cutOffs : null;
  }

  /**
   * Resolves when it is noted that these tasks, in ascending order, run now. The note survives the
   * process, which is what it is about; a power cut is no task's doing.
   */
  async begin(uids: readonly number[]): Promise<void> {
    this.#running = toRanges(uids);
    await this.#store.write([this.#note()], 'process');
  }

  /** Part of the commit: the batch did no harm. */
  end(): WriteOperation {
    const uids = without(this.#suspects.uids, this.#running);
    this.#suspects = uids.length === 0 ? NOBODY : { ...this.#suspects, uids };
    this.#running = [];
    return this.#note();
  }

  /**
   * The batch under way got further than before, for good: it may be cut off as often as it likes
   * while it does so.
   */
  async gotFurther(): Promise<void> {
    if (this.#running.length === 0) return;
    this.#suspects = NOBODY;
    await this.forgive();
  }

  /** The batch under way is not to blame for the end of the process, which is wanted. */
  async forgive(): Promise<void> {
    if (this.#running.length === 0) return;
    this.#running = [];
    await this.#store.write([this.#note()]);
  }

  #isSuspect(uid: number): boolean {
    return rangesInclude(this.#suspects.uids, uid);
  }

  #note(): WriteOperation {
    const note: Note = { running: this.#running, suspects: this.#suspects };
    return put(this.#key, new TextEncoder().encode(JSON.stringify(note)));
  }
}

const wasAlone = ({ uids }: Suspects): boolean => uids.length === 2 && uids[0] === uids[1];

/** What is suspected at a start, given the note of the process before and how that ended. */
function afterStart({ running, suspects }: Note, lastEnd: ProcessEnd): Suspects {
  const [first] = running;
  if (first === undefined) return suspects;
  const isAgain = rangesInclude(suspects.uids, first);
  const cutOffs = (isAgain ? suspects.cutOffs : 0) + 1;
  const ownEnds = (isAgain ? suspects.ownEnds : 0) + (lastEnd === 'own' ? 1 : 0);
  const size = countOf(running);
  const tasksMax = cutOffs === 1 ? size : Math.ceil(size / SHRINK);
  return { uids: running, cutOffs, ownEnds, lastEnd, tasksMax };
}

function countOf(ranges: readonly number[]): number {
  let count = 0;
  for (let i = 0; i < ranges.length; i += 2) count += (ranges[i + 1] ?? 0) - (ranges[i] ?? 0) + 1;
  return count;
}

/** `toRanges` of what the first ranges hold and the second do not. */
function without(ranges: readonly number[], taken: readonly number[]): number[] {
  const left: number[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    for (let uid = ranges[i] ?? 0; uid <= (ranges[i + 1] ?? -1); uid++)
      if (!rangesInclude(taken, uid)) left.push(uid);
  }
  return toRanges(left);
}
