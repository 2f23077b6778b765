/** Start here: interface of migration sources. One file for each kind of source. */
import type { Json } from '../../core/json.ts';
import type { MappedIndex, MigrationNote } from '../../migration/mapped-index.ts';
import { CommandFailure } from '../command-failure.ts';

export interface SourcedIndex extends MappedIndex {
  /** Documents of the source; absent = the source does not count them. */
  readonly documents?: number;
}

interface DocumentBatch {
  readonly indexUid: string;
  readonly primaryKey: string | null;
  /** NDJSON. */
  readonly lines: string;
  readonly documents: number;
}

export interface SourceNote extends MigrationNote {
  readonly about: string;
}

export const notesAbout = (about: string, notes: readonly MigrationNote[]): SourceNote[] =>
  notes.map((note) => ({ about, ...note }));

/** @param wanted index uids and patterns. @throws CommandFailure if the source has none of these */
export function requireIndexes(indexes: readonly MappedIndex[], wanted: readonly string[]): void {
  if (indexes.length === 0 && !wanted.includes('*'))
    throw new CommandFailure(`the source has no index named ${wanted.join(', ')}`);
}

export interface MigrationPart {
  readonly batches: readonly DocumentBatch[];
  readonly notes: readonly SourceNote[];
  /** Position of the source after this part; only the source interprets it. */
  readonly place: string;
  /** 0 to 1 of the whole source, for the progress bar. */
  readonly done: number;
}

export interface MigrationSource {
  readonly indexes: readonly SourcedIndex[];
  /** Notes that belong to no index. */
  readonly notes: readonly SourceNote[];
  /** Requests that create API keys. */
  readonly keys: readonly Json[];
  /** @param place position after the last part that is done; null = from the beginning */
  parts(place: string | null): AsyncIterable<MigrationPart>;
  close(): void;
}

/** Collects consecutive documents of any index until they fill a part. */
export class PartInProgress {
  readonly #batches = new Map<string, { primaryKey: string | null; lines: string[] }>();
  #notes: SourceNote[] = [];
  #length = 0;

  /** Characters of the collected documents. */
  get length(): number {
    return this.#length;
  }

  add(indexUid: string, primaryKey: string | null, line: string): void {
    const batch = this.#batches.get(indexUid) ?? { primaryKey, lines: [] };
    this.#batches.set(indexUid, batch);
    batch.lines.push(line);
    this.#length += line.length + 1;
  }

  note(notes: readonly SourceNote[]): void {
    this.#notes.push(...notes);
  }

  /** Returns the part and empties the collection. */
  take(place: string, done: number): MigrationPart {
    const batches = [...this.#batches].map(([indexUid, { primaryKey, lines }]) => ({
      indexUid,
      primaryKey,
      documents: lines.length,
      lines: `${lines.join('\n')}\n`,
    }));
    const notes = this.#notes;
    this.#batches.clear();
    this.#notes = [];
    this.#length = 0;
    return { batches, notes, place, done };
  }
}
