/** Start here: where a migration takes indexes from. One file a kind of source. */
import type { MappedIndex, Members, MigrationNote } from '../../migration/mapped-index.ts';

export interface SourcedIndex extends MappedIndex {
  /** null where the source does not count them. */
  readonly documents: number | null;
}

/** Documents of one index, as they are sent. */
export interface DocumentBatch {
  readonly indexUid: string;
  readonly primaryKey: string | null;
  /** NDJSON. */
  readonly lines: string;
  readonly documents: number;
}

/** Something that is not as it was, and in which index. */
export interface SourceNote extends MigrationNote {
  readonly about: string;
}

export interface MigrationPart {
  readonly batches: readonly DocumentBatch[];
  readonly notes: readonly SourceNote[];
  /** Where the source goes on behind this part: for itself to read. */
  readonly place: string;
  /** 0 to 1 of the whole source, for people. */
  readonly done: number;
}

export interface MigrationSource {
  readonly indexes: readonly SourcedIndex[];
  /** Notes that belong to no index. */
  readonly notes: readonly SourceNote[];
  /** Requests that make API keys. */
  readonly keys: readonly Members[];
  /** Whether `documents` of the indexes is what they have here afterwards. */
  readonly isCounted: boolean;
  /** @param place of the last part that need not come again; null = from the beginning */
  parts(place: string | null): AsyncIterable<MigrationPart>;
  close(): void;
}

const lengthOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + line.length + 1, 0);

/** Documents that come one after the other, of any index, until they are enough for a part. */
export class PartInProgress {
  readonly #batches = new Map<string, { primaryKey: string | null; lines: string[] }>();
  #notes: SourceNote[] = [];
  #length = 0;

  /** Characters of its documents. */
  get length(): number {
    return this.#length;
  }

  add(indexUid: string, primaryKey: string | null, line: string): void {
    const batch = this.#batches.get(indexUid) ?? { primaryKey, lines: [] };
    this.#batches.set(indexUid, batch);
    batch.lines.push(line);
    this.#length += lengthOf([line]);
  }

  note(about: string, notes: readonly MigrationNote[]): void {
    for (const note of notes) this.#notes.push({ about, ...note });
  }

  /** The part; nothing is left of it here. */
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
