/**
 * Cache of normalised words by their raw bytes: spares decoding and normalising words with accents
 * again. Bounded: at most `WORDS_MAX` words and `BYTES_MAX` of text; cleared as a whole when one is
 * full.
 */
import { ByteBuffer } from '../../bytes/byte-buffer.ts';
import { TermInterner } from '../../bytes/term-interner.ts';

const WORDS_MAX = 20_000;
const BYTES_MAX = 1 << 20;
/** Longer raw words are not cached. */
export const CACHED_WORD_BYTES_MAX = 96;

/** Words of the same bytes with other tags have other hashes: the factor is odd. */
const keyOf = (hash: number, tag: number): number => (hash ^ Math.imul(tag, 0x9e3779b1)) >>> 0;

export class NormalizedWordCache {
  #raw = new TermInterner();
  #rawBytes = 0;
  readonly #lemmas = new ByteBuffer();
  /** The lemma of word `w` is `lemmas[lemmaStarts[w], lemmaStarts[w + 1])`. */
  readonly lemmaStarts = new Uint32Array(WORDS_MAX + 1);
  readonly lemmaHashes = new Uint32Array(WORDS_MAX);
  readonly outcomes = new Uint8Array(WORDS_MAX);

  get lemmas(): Uint8Array {
    return this.#lemmas.bytes;
  }

  /** Number of the word with these raw bytes and this tag, or −1; `hash` is of the raw bytes. */
  find(utf8: Uint8Array, start: number, end: number, hash: number, tag: number): number {
    return this.#raw.find(utf8, start, end, keyOf(hash, tag));
  }

  /** Adds a word that `find` does not find. */
  add(
    raw: Uint8Array,
    hash: number,
    tag: number,
    result: {
      readonly outcome: number;
      readonly lemma: Uint8Array;
      readonly lemmaLength: number;
      readonly hash: number;
    },
  ): void {
    this.#rawBytes += raw.length;
    const bytes = this.#rawBytes + this.#lemmas.length + result.lemmaLength;
    if (this.#raw.count === WORDS_MAX || bytes > BYTES_MAX) {
      this.#raw = new TermInterner();
      this.#rawBytes = 0;
      this.#lemmas.clear();
      return;
    }
    const word = this.#raw.intern(raw, raw.length, keyOf(hash, tag));
    this.#lemmas.pushRange(result.lemma, 0, result.lemmaLength);
    this.lemmaStarts[word + 1] = this.#lemmas.length;
    this.lemmaHashes[word] = result.hash;
    this.outcomes[word] = result.outcome;
  }
}
