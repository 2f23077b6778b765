/** Collects events of a source until they are applied: each key once, bounded in number. Pure. */
import type { RowKey, SourceEvent } from './change-source.ts';

interface RelatedChange {
  readonly indexUid: string;
  readonly table: string;
  readonly values: readonly string[];
}

export interface ChangeBatch {
  /** By index. */
  readonly keys: ReadonlyMap<string, readonly RowKey[]>;
  readonly related: readonly RelatedChange[];
  /** Indexes of which any row may have changed. */
  readonly copies: ReadonlySet<string>;
  /** Everything up to it is in this batch or an earlier one; null = a transaction is incomplete. */
  readonly position: bigint | null;
  /** Time of the oldest commit. */
  readonly committedMs: number | null;
}

/** With keys of 100 bytes about 4 MB. A larger transaction is applied in several batches. */
const EVENTS_MAX = 20_000;

export class PendingChanges {
  #keys = new Map<string, Map<string, RowKey>>();
  #related = new Map<string, { indexUid: string; table: string; values: Set<string> }>();
  #copies = new Set<string>();
  #position: bigint | null = null;
  #committedMs: number | null = null;
  #events = 0;

  get isFull(): boolean {
    return this.#events >= EVENTS_MAX;
  }

  get hasChanges(): boolean {
    return this.#events > 0;
  }

  get isEmpty(): boolean {
    return this.#events === 0 && this.#position === null;
  }

  add(event: SourceEvent): void {
    if (event.kind === 'position') {
      this.#position = event.position;
      if (this.hasChanges) this.#committedMs ??= event.committedMs;
      return;
    }
    this.#events += 1;
    if (event.kind === 'all') this.#copies.add(event.indexUid);
    else if (event.kind === 'key') {
      const keys = this.#keys.get(event.indexUid) ?? new Map<string, RowKey>();
      this.#keys.set(event.indexUid, keys.set(JSON.stringify(event.key), event.key));
    } else {
      const { indexUid, table, value } = event;
      const name = JSON.stringify([indexUid, table]);
      const related = this.#related.get(name) ?? { indexUid, table, values: new Set() };
      this.#related.set(name, related);
      related.values.add(value);
    }
  }

  /** Returns the batch and empties the collection. */
  take(): ChangeBatch {
    const copies = this.#copies;
    const batch = {
      keys: new Map(
        [...this.#keys]
          .filter(([uid]) => !copies.has(uid))
          .map(([uid, keys]) => [uid, [...keys.values()]]),
      ),
      related: [...this.#related.values()]
        .filter(({ indexUid }) => !copies.has(indexUid))
        .map((change) => ({ ...change, values: [...change.values] })),
      copies,
      position: this.#position,
      committedMs: this.#committedMs,
    };
    this.#keys = new Map();
    this.#related = new Map();
    this.#copies = new Set();
    this.#position = null;
    this.#committedMs = null;
    this.#events = 0;
    return batch;
  }
}
