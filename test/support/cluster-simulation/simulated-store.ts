/**
 * What SlateDB does with a log in an object store, as far as roles depend on it: numbered objects that
 * are created once, of which the older ones are deleted after a while.
 */
import type { WriterNote } from '../../../src/cluster/writer-note.ts';
import type { LoggedChange } from '../../../src/storage/database/change-log.ts';

export interface SimulatedRow {
  readonly uid: number;
  /** The request that enqueued it. */
  readonly request: number;
  readonly status: 'enqueued' | 'succeeded';
  /** Generations with its result, by index id. */
  readonly results: readonly (readonly [number, number])[];
}

export interface SimulatedIndex {
  readonly uid: string;
  readonly generation: number;
}

/** One write of the database. */
export interface SimulatedChange extends LoggedChange {
  readonly rows: readonly SimulatedRow[];
  /** null = deleted. */
  readonly states: readonly (readonly [number, SimulatedIndex | null])[];
  readonly note: WriterNote | null;
}

/** Milliseconds after which an object of the log is deleted; the guard allows half of it. */
export const LOG_AGE_MS = 8000;

export class SimulatedStore {
  readonly #createdAtMs = new Map<number, number>();
  /** Of the oldest object that may exist. */
  #oldest = 0;
  /** Of the first object that was never created. */
  nextId = 0;
  readonly changes: SimulatedChange[] = [];
  readonly rows = new Map<number, SimulatedRow>();
  readonly indexes = new Map<number, SimulatedIndex>();
  note: WriterNote | null = null;
  /** The newest object of the log has no write. */
  isBeingOpened = false;
  readonly #onViolation: (what: string) => void;

  constructor(onViolation: (what: string) => void) {
    this.#onViolation = onViolation;
  }

  /** Of the last change. */
  get position(): number {
    return this.changes.length - 1;
  }

  /** False if the object exists. The creation of an object that was deleted before changes nothing. */
  create(id: number, changes: readonly SimulatedChange[], nowMs: number): boolean {
    this.#collect(nowMs);
    if (this.#createdAtMs.has(id)) return false;
    this.#createdAtMs.set(id, nowMs);
    if (id !== this.nextId) return true;
    this.nextId++;
    this.isBeingOpened = changes.length === 0;
    for (const change of changes) this.#apply(change);
    return true;
  }

  #collect(nowMs: number): void {
    for (; this.#oldest < this.nextId - 1; this.#oldest++) {
      if (nowMs - (this.#createdAtMs.get(this.#oldest) ?? 0) < LOG_AGE_MS) return;
      this.#createdAtMs.delete(this.#oldest);
    }
  }

  #apply(change: SimulatedChange): void {
    if (change.position !== this.changes.length)
      this.#onViolation(`a change has position ${change.position}, not ${this.changes.length}`);
    this.changes.push(change);
    for (const row of change.rows) {
      const before = this.rows.get(row.uid);
      if (before?.status === 'succeeded') this.#onViolation(`task ${row.uid} is applied twice`);
      if (before !== undefined && before.request !== row.request)
        this.#onViolation(`tasks of two requests have uid ${row.uid}`);
      this.rows.set(row.uid, row);
    }
    for (const [id, state] of change.states) {
      if (state === null) this.indexes.delete(id);
      else this.indexes.set(id, state);
    }
    if (change.note !== null) this.note = change.note;
  }
}
