/**
 * Pure: which indexes are on the disk of a node of an object store, within a budget of bytes. The least
 * recently used one leaves first; what is in use or was used a moment ago stays, also above the budget.
 */

/** Milliseconds after its last use in which an index does not leave. */
const PINNED_MS = 10_000;

interface LocalIndex {
  bytes: number;
  usedAtMs: number;
}

export class LocalIndexes {
  readonly #budgetBytes: number;
  readonly #indexes = new Map<number, LocalIndex>();
  /** Index id → number of its users. */
  readonly #pins = new Map<number, number>();
  #bytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  /** Of all indexes on the disk. */
  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#indexes.size;
  }

  has(indexId: number): boolean {
    return this.#indexes.has(indexId);
  }

  /** The index is on the disk with all its files. */
  add(indexId: number, bytes: number, nowMs: number): void {
    this.remove(indexId);
    this.#indexes.set(indexId, { bytes, usedAtMs: nowMs });
    this.#bytes += bytes;
  }

  /** Does nothing for an index that is not on the disk. */
  resize(indexId: number, bytes: number): void {
    const index = this.#indexes.get(indexId);
    if (index === undefined) return;
    this.#bytes += bytes - index.bytes;
    index.bytes = bytes;
  }

  used(indexIds: Iterable<number>, nowMs: number): void {
    for (const id of indexIds) {
      const index = this.#indexes.get(id);
      if (index !== undefined) index.usedAtMs = nowMs;
    }
  }

  /** The index stays until as many calls of `unpin`. It need not be on the disk yet. */
  pin(indexId: number): void {
    this.#pins.set(indexId, (this.#pins.get(indexId) ?? 0) + 1);
  }

  unpin(indexId: number): void {
    const users = (this.#pins.get(indexId) ?? 0) - 1;
    if (users > 0) this.#pins.set(indexId, users);
    else this.#pins.delete(indexId);
  }

  remove(indexId: number): void {
    this.#bytes -= this.#indexes.get(indexId)?.bytes ?? 0;
    this.#indexes.delete(indexId);
  }

  /** Removes indexes until the others fit. @returns the removed ones, the least recently used first */
  shrink(nowMs: number): number[] {
    if (this.#bytes <= this.#budgetBytes) return [];
    const removed: number[] = [];
    const oldest = [...this.#indexes].sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    for (const [id, { usedAtMs }] of oldest) {
      if (this.#bytes <= this.#budgetBytes || nowMs - usedAtMs < PINNED_MS) break;
      if (this.#pins.has(id)) continue;
      this.remove(id);
      removed.push(id);
    }
    return removed;
  }
}
