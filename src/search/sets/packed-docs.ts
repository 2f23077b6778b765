/**
 * Ascending DocIds in two bytes each: the lower 16 bits in sequence, and the start of each chunk of
 * 65,536 DocIds.
 */
import { threadSetKernels } from '../../engine/sets/set-kernels.ts';
import { indexOfSorted, lowerBoundIn } from '../../engine/sets/sorted.ts';

const CHUNK_BITS = 16;
const LOW_MASK = 0xffff;

const startsLength = (docIdEnd: number): number => ((docIdEnd + LOW_MASK) >>> CHUNK_BITS) + 1;

export class PackedDocs {
  readonly #lows: Uint16Array;
  /** Start of each chunk, and the end of the last one. */
  readonly #starts: Uint32Array;

  private constructor(lows: Uint16Array, starts: Uint32Array) {
    this.#lows = lows;
    this.#starts = starts;
  }

  /** @param docs ascending, below `docIdEnd` */
  static of(docs: Uint32Array, docIdEnd: number): PackedDocs {
    const starts = new Uint32Array(startsLength(docIdEnd));
    const lows = new Uint16Array(docs.length);
    for (let i = 0; i < docs.length; i++) {
      lows[i] = docs[i]!;
      starts[(docs[i]! >>> CHUNK_BITS) + 1]!++;
    }
    for (let chunk = 1; chunk < starts.length; chunk++) starts[chunk]! += starts[chunk - 1]!;
    return new PackedDocs(lows, starts);
  }

  /** @param words of `words`; @param docIdEnd as it was */
  static fromWords(words: Uint32Array, count: number, docIdEnd: number): PackedDocs {
    const length = startsLength(docIdEnd);
    const lows = words.subarray(length);
    return new PackedDocs(
      new Uint16Array(lows.buffer, lows.byteOffset, count),
      words.subarray(0, length),
    );
  }

  /** The set as words: the starts, then the lower bits. */
  get words(): readonly [starts: Uint32Array, lows: Uint32Array] {
    const lows = new Uint32Array((this.#lows.length + 1) >>> 1);
    new Uint16Array(lows.buffer).set(this.#lows);
    return [this.#starts, lows];
  }

  get count(): number {
    return this.#lows.length;
  }

  get bytes(): number {
    return this.#lows.byteLength + this.#starts.byteLength;
  }

  has(doc: number): boolean {
    const chunk = doc >>> CHUNK_BITS;
    const end = this.#starts[chunk + 1] ?? 0;
    const place = lowerBoundIn(this.#lows, doc & LOW_MASK, this.#starts[chunk] ?? 0, end);
    return place < end && this.#lows[place] === (doc & LOW_MASK);
  }

  /** Writes the documents to `out`, starting at `at`. */
  unpackTo(out: Uint32Array, at = 0): void {
    threadSetKernels().unpack(this.#lows, this.#starts, out, at);
  }

  addTo(bits: Uint32Array): void {
    const lows = this.#lows;
    const starts = this.#starts;
    for (let chunk = 0; chunk + 1 < starts.length; chunk++) {
      const base = chunk << (CHUNK_BITS - 5);
      const end = starts[chunk + 1]!;
      for (let i = starts[chunk]!; i < end; i++)
        bits[base | (lows[i]! >>> 5)]! |= 1 << (lows[i]! & 31);
    }
  }

  /** Removes `removed` and adds `added`, both ascending. */
  patched(removed: Uint32Array, added: Uint32Array, docIdEnd: number): PackedDocs {
    const changes = new Uint32Array(removed.length + added.length);
    changes.set(removed);
    changes.set(added, removed.length);
    changes.sort();
    const out = new Uint16Array(this.#lows.length + added.length);
    const starts = new Uint32Array(startsLength(docIdEnd));
    let length = 0;
    let at = 0;
    for (let chunk = 0; chunk + 1 < starts.length; chunk++) {
      let from = this.#startOf(chunk);
      const end = this.#startOf(chunk + 1);
      const copyUntil = (place: number): void => {
        out.set(this.#lows.subarray(from, place), length);
        length += place - from;
        from = place;
      };
      for (; at < changes.length && changes[at]! >>> CHUNK_BITS === chunk; at++) {
        const doc = changes[at]!;
        if (doc === changes[at - 1]) continue;
        copyUntil(lowerBoundIn(this.#lows, doc & LOW_MASK, from, end));
        if (from < end && this.#lows[from] === (doc & LOW_MASK)) from++;
        if (indexOfSorted(added, doc) >= 0) out[length++] = doc;
      }
      copyUntil(end);
      starts[chunk + 1] = length;
    }
    return new PackedDocs(out.slice(0, length), starts);
  }

  #startOf(chunk: number): number {
    return this.#starts[Math.min(chunk, this.#starts.length - 1)]!;
  }
}
