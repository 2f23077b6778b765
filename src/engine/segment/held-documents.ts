/** Queue of documents in chunks, which grows without copying. */

/** Chunks grow from the first length, since most segments are small. */
const FIRST_BYTES = 1 << 14;
const BYTES_MAX = 1 << 20;

export class HeldDocuments {
  #chunks: Uint8Array[] = [new Uint8Array(FIRST_BYTES)];
  /** By chunk, the last included: number of documents up to its end. */
  #ends: number[] = [0];
  /** Bytes of each document. */
  #lengths: number[] = [];
  /** Bytes used in the last chunk. */
  #used = 0;
  #bytes = 0;

  /** Bytes of all documents. */
  get bytes(): number {
    return this.#bytes;
  }

  get memoryBytes(): number {
    const chunks = this.#chunks.reduce((sum, { length }) => sum + length, 0);
    return chunks + this.#lengths.length * 8;
  }

  add(json: Uint8Array): void {
    const chunk = this.#chunkFor(json.length);
    chunk.set(json, this.#used);
    this.#used += json.length;
    this.#bytes += json.length;
    this.#lengths.push(json.length);
    this.#ends[this.#ends.length - 1] = this.#lengths.length;
  }

  /** Visits the documents in order. */
  forEach(look: (json: Uint8Array) => void): void {
    let number = 0;
    for (const [place, chunk] of this.#chunks.entries()) {
      let start = 0;
      for (; number < this.#ends[place]!; number++) {
        const end = start + this.#lengths[number]!;
        look(chunk.subarray(start, end));
        start = end;
      }
    }
  }

  clear(): void {
    this.#chunks = [new Uint8Array(0)];
    this.#ends = [0];
    this.#lengths = [];
    this.#used = 0;
    this.#bytes = 0;
  }

  /** A chunk with room for this number of bytes after its used part. */
  #chunkFor(bytes: number): Uint8Array {
    const last = this.#chunks.at(-1)!;
    if (this.#used + bytes <= last.length) return last;
    const grown = Math.min(BYTES_MAX, Math.max(FIRST_BYTES, last.length * 2));
    const chunk = new Uint8Array(Math.max(grown, bytes));
    this.#chunks.push(chunk);
    this.#ends.push(this.#lengths.length);
    this.#used = 0;
    return chunk;
  }
}
