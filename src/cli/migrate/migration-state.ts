/** Progress and notes of a migration, stored so that an interrupted migration resumes. */
import { type StateEnvironment, StateFile } from '../state-file.ts';
import type { SourceNote } from './migration-source.ts';

/** Adds a note; equal notes are counted, not repeated. */
interface CountedNote extends SourceNote {
  readonly count: number;
}

export interface MigrationState {
  /** Uids of the indexes of this migration. */
  readonly claimed: readonly string[];
  /** Uids of indexes that exist and have their settings. */
  readonly prepared: readonly string[];
  /** Position after the last part that this server has acknowledged. */
  readonly place: string | null;
  /** Tasks that may be unfinished. */
  readonly taskUids: readonly number[];
  /** Documents sent, by index. */
  readonly sent: Readonly<Record<string, number>>;
  /** API keys created; null = not yet begun. */
  readonly keys: number | null;
  readonly notes: readonly CountedNote[];
  readonly failures: readonly string[];
}

export const NOTHING_DONE: MigrationState = {
  claimed: [],
  prepared: [],
  place: null,
  taskUids: [],
  sent: {},
  keys: null,
  notes: [],
  failures: [],
};

/** Further notes are counted together. */
const NOTES_MAX = 1000;
const OTHERS: SourceNote = { about: 'more', name: 'notes', message: 'are not listed' };

const isEqual = (a: SourceNote, b: SourceNote): boolean =>
  a.about === b.about && a.name === b.name && a.message === b.message;

export function withNotes(
  known: readonly CountedNote[],
  added: readonly SourceNote[],
): readonly CountedNote[] {
  if (added.length === 0) return known;
  const notes = [...known];
  for (const { about, name, message } of added) {
    const note = { about, name, message };
    const at = notes.findIndex((other) => isEqual(other, note));
    const place = at === -1 && notes.length >= NOTES_MAX ? indexOfOthers(notes) : at;
    const before = notes[place];
    if (before === undefined) notes.push({ ...note, count: 1 });
    else notes[place] = { ...before, count: before.count + 1 };
  }
  return notes;
}

function indexOfOthers(notes: CountedNote[]): number {
  const at = notes.findIndex((note) => isEqual(note, OTHERS));
  if (at !== -1) return at;
  return notes.push({ ...OTHERS, count: 0 }) - 1;
}

/** @param work identifies this migration */
export const migrationStateFile = (
  work: unknown,
  env: StateEnvironment,
): StateFile<MigrationState> =>
  new StateFile<MigrationState>(
    'migrations',
    work,
    ({ claimed, taskUids, notes }) =>
      Array.isArray(claimed) && Array.isArray(taskUids) && Array.isArray(notes),
    env,
  );
