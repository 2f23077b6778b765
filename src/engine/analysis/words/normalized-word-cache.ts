/**
 * Cache of normalised words by their raw bytes: spares decoding and normalising words with accents
 * again. Bounded: at most `WORDS_MAX` words and `ARENA_BYTES` of text; cleared as a whole when one
 * is full.
 */

const SLOTS = 32_768;
const WORDS_MAX = 20_000;
const ARENA_BYTES = 1 << 20;
/** Longer raw words are not cached. */
export const CACHED_WORD_BYTES_MAX = 96;

export class NormalizedWordCache {
  readonly #slots = new Int32Array(SLOTS).fill(-1);
  readonly #rawStarts = new Uint32Array(WORDS_MAX);
  readonly #rawLengths = new Uint8Array(WORDS_MAX);
  readonly #tags = new Uint16Array(WORDS_MAX);
  #count = 0;
  #used = 0;
  #freeSlot = 0;
  /** Raw and normalised texts; the lemma of word `w` is at `lemmaStarts[w]`. */
  readonly arena = new Uint8Array(ARENA_BYTES);
  readonly lemmaStarts = new Uint32Array(WORDS_MAX);
  readonly lemmaLengths = new Uint8Array(WORDS_MAX);
  readonly lemmaHashes = new Uint32Array(WORDS_MAX);
  readonly outcomes = new Uint8Array(WORDS_MAX);

  /** Number of the word with these raw bytes and this tag, or −1; `hash` is of the raw bytes. */
  find(utf8: Uint8Array, start: number, end: number, hash: number, tag: number): number {
    const slots = this.#slots;
    let slot = (hash ^ Math.imul(tag, 0x9e3779b1)) & (SLOTS - 1);
    for (;;) {
      const word = slots[slot]!;
      if (word < 0) break;
      if (this.#isWord(word, utf8, start, end, tag)) return word;
      slot = (slot + 1) & (SLOTS - 1);
    }
    this.#freeSlot = slot;
    return -1;
  }

  /** Adds the word that the last `find` did not find. */
  add(
    utf8: Uint8Array,
    start: number,
    end: number,
    tag: number,
    result: {
      readonly outcome: number;
      readonly lemma: Uint8Array;
      readonly lemmaLength: number;
      readonly hash: number;
    },
  ): void {
    const bytes = end - start + result.lemmaLength;
    if (this.#count === WORDS_MAX || this.#used + bytes > ARENA_BYTES) {
      this.#clear();
      return;
    }
    const word = this.#count++;
    this.#slots[this.#freeSlot] = word;
    this.#rawStarts[word] = this.#used;
    this.#rawLengths[word] = end - start;
    this.#tags[word] = tag;
    this.outcomes[word] = result.outcome;
    this.lemmaHashes[word] = result.hash;
    this.lemmaLengths[word] = result.lemmaLength;
    this.lemmaStarts[word] = this.#used + end - start;
    const { arena } = this;
    let at = this.#used;
    for (let i = start; i < end; i++) arena[at++] = utf8[i]!;
    for (let i = 0; i < result.lemmaLength; i++) arena[at++] = result.lemma[i]!;
    this.#used = at;
  }

  #isWord(word: number, utf8: Uint8Array, start: number, end: number, tag: number): boolean {
    if (this.#rawLengths[word] !== end - start || this.#tags[word] !== tag) return false;
    const { arena } = this;
    let at = this.#rawStarts[word]!;
    for (let i = start; i < end; i++) if (arena[at++] !== utf8[i]) return false;
    return true;
  }

  #clear(): void {
    this.#slots.fill(-1);
    this.#count = 0;
    this.#used = 0;
  }
}
