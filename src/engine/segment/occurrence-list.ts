/**
 * Occurrences of words in the order of a segment's documents, in chunks: growing copies nothing,
 * and the list takes little more room than its content.
 */

/** Chunks grow from the first length, since most segments are small. */
const FIRST_LENGTH = 1 << 12;
const LENGTH_MAX = 1 << 17;

export class OccurrenceList {
  /** Pairs of a term's number and an occurrence key; all chunks but the last are full. */
  #chunks: Uint32Array[] = [];
  #chunk = new Uint32Array(FIRST_LENGTH);
  /** Numbers in the last chunk. */
  #length = 0;
  /** Pairs in all chunks before. */
  #countBefore = 0;

  constructor() {
    this.#chunks.push(this.#chunk);
  }

  get count(): number {
    return this.#countBefore + this.#length / 2;
  }

  get memoryBytes(): number {
    return this.#chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  add(term: number, key: number): void {
    if (this.#length === this.#chunk.length) this.#addChunk();
    this.#chunk[this.#length++] = term;
    this.#chunk[this.#length++] = key;
  }

  /** Removes and returns all pairs of term and key, in order. */
  take(): Uint32Array[] {
    const chunks = this.#chunks;
    chunks[chunks.length - 1] = this.#chunk.subarray(0, this.#length);
    this.#chunk = new Uint32Array(0);
    this.#chunks = [];
    this.#length = 0;
    return chunks;
  }

  #addChunk(): void {
    this.#countBefore += this.#length / 2;
    this.#chunk = new Uint32Array(Math.min(LENGTH_MAX, this.#chunk.length * 2));
    this.#length = 0;
    this.#chunks.push(this.#chunk);
  }
}
