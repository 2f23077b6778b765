/**
 * Finds batches that crash the process, at its next start. A note of the running tasks is written
 * before a batch runs and emptied by its commit; each running batch has its own note under ("meta",
 * "attempt"), ("meta", "attemptBeside") or ("meta", "attempt", number). An interrupted batch runs
 * once more unchanged, then in ever smaller batches until the faulty task is alone, and with no
 * other batch if the process keeps ending. That task fails after several interruptions in a row:
 * after few if the process crashed by itself, after more if it was killed, because a kill may have
 * other reasons.
 */

import { jsonBytes } from '../../core/json.ts';
import type { ProcessEnd } from '../../core/process-end.ts';
import { readStored } from '../../model/schemas/stored-schema.ts';
import { decodeKey, encodeKey, keyRange } from '../../storage/database/key-encoding.ts';
import {
  entriesIn,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../../storage/database/key-value-store.ts';
import { rangesInclude, toRanges, uidsOf } from './uid-ranges.ts';

/** A task that was alone in its batch fails after this many crashes in a row. */
export const OWN_ENDS_MAX = 3;
/**
 * A task that was alone in its batch fails after this many ends of any kind. Random kills hit one
 * task three times in fifty (test/crash), and acknowledged writes must not be lost to them.
 */
export const CUT_OFFS_MAX = 10;
/** From the second interruption on, the next batch holds this fraction of the tasks. */
const SHRINK = 10;
/**
 * A batch runs alone after this many crashes, or ends of any kind: before tasks fail, so that a
 * batch that ran at the same time as the faulty one does not fail, but not at once, because a batch
 * alone blocks all indexes.
 */
const ALONE_AFTER_OWN_ENDS = OWN_ENDS_MAX - 1;
const ALONE_AFTER_CUT_OFFS = CUT_OFFS_MAX / 2;

interface Note {
  /** `toRanges` of the running tasks; empty between batches. */
  readonly running: readonly number[];
  readonly suspects: Suspects;
}

interface Suspects {
  /** `toRanges` of the unfinished tasks. */
  readonly uids: readonly number[];
  /** How often in a row a batch that began with one of them was interrupted. */
  readonly cutOffs: number;
  /** Number of these interruptions that were crashes. */
  readonly ownEnds: number;
  readonly lastEnd: ProcessEnd;
  /** Maximum number of tasks in a batch with one of them. */
  readonly tasksMax: number;
}

const NOBODY: Suspects = {
  uids: [],
  cutOffs: 0,
  ownEnds: 0,
  lastEnd: 'outside',
  tasksMax: Number.MAX_SAFE_INTEGER,
};

/** Earlier releases had two notes: one for batches, one for background batches. */
const NOTES = ['attempt', 'attemptBeside'] as const;

export class BatchAttempt {
  readonly #store: KeyValueStore;
  readonly #key: Uint8Array;
  #suspects: Suspects;
  #running: readonly number[] = [];
  #isTaken = false;

  constructor(store: KeyValueStore, key: Uint8Array, suspects: Suspects = NOBODY) {
    this.#store = store;
    this.#key = key;
    this.#suspects = suspects;
  }

  get suspects(): Suspects {
    return this.#suspects;
  }

  /** True while a batch owns the note, even if the note no longer names its tasks. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /**
   * Resolves when the note of these tasks, in ascending order, is written. The note survives the
   * process but not a power cut, which no task causes.
   */
  async begin(uids: readonly number[]): Promise<void> {
    this.#isTaken = true;
    this.#running = toRanges(uids);
    await this.#store.write([this.#note()], 'process');
  }

  /** Part of the commit: clears the batch's note. */
  end(): WriteOperation {
    const uids = without(this.#suspects.uids, this.#running);
    this.#suspects = uids.length === 0 ? NOBODY : { ...this.#suspects, uids };
    this.#running = [];
    return this.#note();
  }

  /** Clears the note, because the batch does not cause the end of the process. */
  async clear(): Promise<void> {
    if (this.#running.length === 0) return;
    this.#running = [];
    await this.#store.write([this.#note()], 'process');
  }

  /** Resets the count of interruptions, because the batch has made durable progress. */
  async gotFurther(): Promise<void> {
    if (this.#running.length === 0) return;
    this.#suspects = NOBODY;
    await this.clear();
  }

  /** Releases the note for another batch, after the batch's last write. */
  release(): void {
    this.#isTaken = false;
  }

  #note(): WriteOperation {
    const note: Note = { running: this.#running, suspects: this.#suspects };
    return put(this.#key, jsonBytes(note));
  }
}

export class CrashLoopGuard {
  readonly #store: KeyValueStore;
  readonly #attempts: BatchAttempt[];
  /** Greater than the numbers in all note keys. */
  #nextNumber: number;

  private constructor(store: KeyValueStore, attempts: BatchAttempt[], nextNumber: number) {
    this.#store = store;
    this.#attempts = attempts;
    this.#nextNumber = nextNumber;
  }

  static async open(store: KeyValueStore, lastEnd: ProcessEnd): Promise<CrashLoopGuard> {
    const attempts: BatchAttempt[] = [];
    let nextNumber = 0;
    const notes = NOTES.map((name) => entriesIn(store, keyRange('meta', name)));
    for (const { key, value } of (await Promise.all(notes)).flat()) {
      const note = readStored<Note>('crash-loop note', value);
      attempts.push(new BatchAttempt(store, key, afterStart(note, lastEnd)));
      const [, , number = 0] = decodeKey(key);
      nextNumber = Math.max(nextNumber, Number(number) + 1);
    }
    return new CrashLoopGuard(store, attempts, nextNumber);
  }

  /** Maximum number of tasks in a batch that begins with this one. */
  tasksMax(uid: number): number {
    return this.#suspectsOf(uid).tasksMax;
  }

  /** True if a batch that begins with the task must run alone, to identify it as the cause. */
  runsAlone(uid: number): boolean {
    const { cutOffs, ownEnds } = this.#suspectsOf(uid);
    return ownEnds >= ALONE_AFTER_OWN_ENDS || cutOffs >= ALONE_AFTER_CUT_OFFS;
  }

  /**
   * Number of process ends caused by the task alone in its batch, if too many for a retry; else
   * null.
   */
  abandonedAfter(uids: readonly number[]): number | null {
    const [only] = uids;
    if (only === undefined || uids.length > 1) return null;
    const suspects = this.#suspectsOf(only);
    const { cutOffs, ownEnds, lastEnd } = suspects;
    const isTooOften = cutOffs >= CUT_OFFS_MAX || (lastEnd === 'own' && ownEnds >= OWN_ENDS_MAX);
    return isTooOften && wasAlone(suspects) ? cutOffs : null;
  }

  /** Resolves when a note of these tasks, in ascending order, is written. */
  async begin(uids: readonly number[]): Promise<BatchAttempt> {
    const attempt = this.#noteFor(uids[0] ?? -1);
    await attempt.begin(uids);
    return attempt;
  }

  /** Clears all notes before an intended end of the process. */
  async clear(): Promise<void> {
    await Promise.all(this.#attempts.map((attempt) => attempt.clear()));
  }

  /** The note with the task's history, else a free note. */
  #noteFor(uid: number): BatchAttempt {
    const free = this.#attempts.filter(({ isTaken }) => !isTaken);
    const known = free.find(({ suspects }) => rangesInclude(suspects.uids, uid));
    const note = known ?? free.find(({ suspects }) => suspects.uids.length === 0);
    if (note !== undefined) return note;
    const number = this.#nextNumber++;
    const key = number === 0 ? encodeKey('meta', 'attempt') : encodeKey('meta', 'attempt', number);
    const added = new BatchAttempt(this.#store, key);
    this.#attempts.push(added);
    return added;
  }

  #suspectsOf(uid: number): Suspects {
    const holders = this.#attempts.filter(({ suspects }) => rangesInclude(suspects.uids, uid));
    return holders[0]?.suspects ?? NOBODY;
  }
}

const wasAlone = ({ uids }: Suspects): boolean => uids.length === 2 && uids[0] === uids[1];

/** The suspects at start, from the previous process's note and how it ended. */
function afterStart({ running, suspects }: Note, lastEnd: ProcessEnd): Suspects {
  const [first] = running;
  if (first === undefined) return suspects;
  const isAgain = rangesInclude(suspects.uids, first);
  const cutOffs = (isAgain ? suspects.cutOffs : 0) + 1;
  const ownEnds = (isAgain ? suspects.ownEnds : 0) + (lastEnd === 'own' ? 1 : 0);
  const size = uidsOf(running).length;
  const tasksMax = cutOffs === 1 ? size : Math.ceil(size / SHRINK);
  return { uids: running, cutOffs, ownEnds, lastEnd, tasksMax };
}

/** `toRanges` of the numbers in the first ranges and not in the second. */
const without = (ranges: readonly number[], taken: readonly number[]): number[] =>
  toRanges(uidsOf(ranges).filter((uid) => !rangesInclude(taken, uid)));
