/**
 * Finds batches that ended the process at its next start. What runs is noted before it runs, each
 * running batch in a note of its own under ("meta", "attempt"), ("meta", "attemptBeside") or
 * ("meta", "attempt", number), and the note is emptied by the commit. A batch that was cut off runs
 * once more as it was; then in ever smaller parts, until the task that does it is alone, and while no
 * other batch runs if the process goes on ending. That task fails when it was cut off too often in a
 * row: soon if the process ended by what it did itself, later if it was killed, which may have other
 * reasons.
 */
import type { ProcessEnd } from '../../core/process-end.ts';
import { decodeKey, encodeKey, keyRange } from '../../storage/database/key-encoding.ts';
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
/**
 * A batch runs by itself after this many ends that were the process's own, or of any kind: before
 * tasks are failed, so that a batch that ran beside the one to blame is not, and not at once, since
 * a batch by itself keeps all indexes waiting.
 */
const ALONE_AFTER_OWN_ENDS = OWN_ENDS_MAX - 1;
const ALONE_AFTER_CUT_OFFS = CUT_OFFS_MAX / 2;

/** JSON of the note. */
interface Note {
  /** `toRanges` of the tasks that run; empty between batches. */
  readonly running: readonly number[];
  readonly suspects: Suspects;
}

/** Tasks of a batch that was cut off. */
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

/** Earlier releases had two notes, for batches in turn and for background batches. */
const NOTES = ['attempt', 'attemptBeside'] as const;

/** A batch under way, in the note that it has for itself. */
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

  /** Whether a batch has the note, even if the note no longer names its tasks. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /**
   * Resolves when it is noted that these tasks, in ascending order, run now. The note survives the
   * process, which is what it is about; a power cut is no task's doing.
   */
  async begin(uids: readonly number[]): Promise<void> {
    this.#isTaken = true;
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

  /** The batch is not to blame when the process ends. */
  async clear(): Promise<void> {
    if (this.#running.length === 0) return;
    this.#running = [];
    await this.#store.write([this.#note()], 'process');
  }

  /**
   * The batch got further than before, for good: it may be cut off as often as it likes while it
   * does so.
   */
  async gotFurther(): Promise<void> {
    if (this.#running.length === 0) return;
    this.#suspects = NOBODY;
    await this.clear();
  }

  /** The batch has ended and its last write is done, so another batch may have the note. */
  release(): void {
    this.#isTaken = false;
  }

  #note(): WriteOperation {
    const note: Note = { running: this.#running, suspects: this.#suspects };
    return put(this.#key, new TextEncoder().encode(JSON.stringify(note)));
  }
}

export class CrashLoopGuard {
  readonly #store: KeyValueStore;
  readonly #attempts: BatchAttempt[];
  /** Greater than those in the keys of all notes. */
  #nextNumber: number;

  private constructor(store: KeyValueStore, attempts: BatchAttempt[], nextNumber: number) {
    this.#store = store;
    this.#attempts = attempts;
    this.#nextNumber = nextNumber;
  }

  /** @param lastEnd how the process before this one ended */
  static async open(store: KeyValueStore, lastEnd: ProcessEnd): Promise<CrashLoopGuard> {
    const attempts: BatchAttempt[] = [];
    let nextNumber = 0;
    for (const name of NOTES) {
      for await (const { key, value } of store.iterate(keyRange('meta', name))) {
        const note = JSON.parse(new TextDecoder().decode(value)) as Note;
        attempts.push(new BatchAttempt(store, key, afterStart(note, lastEnd)));
        const [, , number = 0] = decodeKey(key);
        nextNumber = Math.max(nextNumber, Number(number) + 1);
      }
    }
    return new CrashLoopGuard(store, attempts, nextNumber);
  }

  /** Tasks that a batch beginning with this one may hold. */
  tasksMax(uid: number): number {
    return this.#suspectsOf(uid).tasksMax;
  }

  /** Whether a batch beginning with the task runs while no other does, so that only it is to blame. */
  runsAlone(uid: number): boolean {
    const { cutOffs, ownEnds } = this.#suspectsOf(uid);
    return ownEnds >= ALONE_AFTER_OWN_ENDS || cutOffs >= ALONE_AFTER_CUT_OFFS;
  }

  /**
   * How often the task, alone in its batch, has ended the process, if that is too often to try it
   * again; else null.
   */
  abandonedAfter(uids: readonly number[]): number | null {
    const [only] = uids;
    if (only === undefined || uids.length > 1) return null;
    const suspects = this.#suspectsOf(only);
    const { cutOffs, ownEnds, lastEnd } = suspects;
    const isTooOften = cutOffs >= CUT_OFFS_MAX || (lastEnd === 'own' && ownEnds >= OWN_ENDS_MAX);
    return isTooOften && wasAlone(suspects) ? cutOffs : null;
  }

  /** Resolves when it is noted that these tasks, in ascending order, run now. */
  async begin(uids: readonly number[]): Promise<BatchAttempt> {
    const attempt = this.#noteFor(uids[0] ?? -1);
    await attempt.begin(uids);
    return attempt;
  }

  /** The batches under way are not to blame for the end of the process, which is wanted. */
  async clear(): Promise<void> {
    await Promise.all(this.#attempts.map((attempt) => attempt.clear()));
  }

  /** The note with what is known of the task, else one that is free. */
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
