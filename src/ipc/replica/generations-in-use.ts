/** Generations of indexes being read, so that older generations can be released. */
import type { PublishedIndex } from './published-indexes.ts';

interface ReadGenerations {
  readonly snapshotKey: string;
  readonly foreign?: readonly { readonly snapshotKey: string }[] | undefined;
  readonly further?: readonly ReadGenerations[] | undefined;
}

interface Waiter {
  readonly indexId: number;
  readonly generation: number;
  readonly resolve: () => void;
}

export function forEachGeneration(
  { snapshotKey, foreign, further }: ReadGenerations,
  visit: (key: string) => void,
): void {
  visit(snapshotKey);
  if (foreign !== undefined) for (const index of foreign) visit(index.snapshotKey);
  if (further !== undefined) for (const index of further) forEachGeneration(index, visit);
}

export class GenerationsInUse {
  /** By `<index id>:<generation>`. */
  readonly #readers = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();

  use(read: ReadGenerations): void {
    forEachGeneration(read, (key) => this.#use(key));
  }

  /** Ends one `use`. */
  release(read: ReadGenerations): void {
    forEachGeneration(read, (key) => this.#release(key));
  }

  #use(key: string): void {
    this.#readers.set(key, (this.#readers.get(key) ?? 0) + 1);
  }

  #release(key: string): void {
    const left = (this.#readers.get(key) ?? 1) - 1;
    if (left > 0) {
      this.#readers.set(key, left);
      return;
    }
    this.#readers.delete(key);
    for (const waiter of this.#waiters) {
      if (this.#hasOlder(waiter.indexId, waiter.generation)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Resolves when no older generation of this index is in use. */
  released({ manifest: { id, generation } }: PublishedIndex): Promise<void> {
    if (!this.#hasOlder(id, generation)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.add({ indexId: id, generation, resolve });
    });
  }

  #hasOlder(indexId: number, generation: number): boolean {
    for (const key of this.#readers.keys()) {
      const [id, usedGeneration] = key.split(':');
      if (Number(id) === indexId && Number(usedGeneration) < generation) return true;
    }
    return false;
  }
}
