/**
 * Learns a token table from a sample of texts. One pass cuts the sample into the longest known
 * tokens; two tokens that are often neighbours are joined to a new token, which is used from then
 * on. Then the tokens worth their room are numbered by frequency.
 */
import { ByteBuffer } from './byte-buffer.ts';
import { ByteTrie, ROOT } from './byte-trie.ts';
import { NumberTable } from './number-table.ts';
import { TOKEN_BYTES_MAX, TokenTable, tokenCapacity } from './token-table.ts';

/** Number of meetings after which two neighbours become one token. */
const JOIN_AFTER = 3;
const TOKENS_MAX = 30_000;
/**
 * A token stays if it is used more often than this: a use saves about a third of the token's
 * length.
 */
const USES_MIN = 3;
/**
 * Added to the uses of each token: texts outside the sample differ, and need shorter tokens to
 * fall back on.
 */
const UNSEEN_USES = 0.5;

/** @param allBytes bytes of all texts that the table is for, the sample among them */
export function trainTokens(sample: readonly Uint8Array[], allBytes: number): TokenTable {
  return new TokenTrainer(sample).run(allBytes);
}

class TokenTrainer {
  readonly #sample: readonly Uint8Array[];
  readonly #sampleBytes: number;
  readonly #trie = new ByteTrie();
  /** Token + 1 that ends at the node, or 0. */
  #tokenAt = new Uint32Array(1 << 12);
  readonly #bytes = new ByteBuffer();
  readonly #starts = new Uint32Array(TOKENS_MAX + 1);
  #count = 0;
  /** `token << 16 | token` → how often the two were neighbours. */
  readonly #meetings: NumberTable;
  #matchEnd = 0;

  constructor(sample: readonly Uint8Array[]) {
    this.#sample = sample;
    this.#sampleBytes = sample.reduce((sum, text) => sum + text.length, 0);
    this.#meetings = new NumberTable(Math.ceil(Math.log2(Math.max(this.#sampleBytes / 3, 1024))));
  }

  run(allBytes: number): TokenTable {
    for (let byte = 0; byte < 256; byte++) this.#addToken(Uint8Array.of(byte), 0, 1);
    for (const text of this.#sample) this.#learn(text);
    const uses = new Uint32Array(this.#count);
    for (const text of this.#sample) {
      for (let at = 0; at < text.length; at = this.#matchEnd) uses[this.#longestToken(text, at)]!++;
    }
    return this.#table(uses, allBytes);
  }

  #learn(text: Uint8Array): void {
    let before = -1;
    let beforeStart = 0;
    for (let at = 0; at < text.length; ) {
      const token = this.#longestToken(text, at);
      const end = this.#matchEnd;
      if (
        before >= 0 &&
        end - beforeStart <= TOKEN_BYTES_MAX &&
        this.#meetings.count((before << 16) | token) === JOIN_AFTER &&
        this.#count < TOKENS_MAX
      ) {
        before = this.#addToken(text, beforeStart, end);
      } else {
        before = token;
        beforeStart = at;
      }
      at = end;
    }
  }

  /** The longest token at `at`; sets `#matchEnd`. */
  #longestToken(text: Uint8Array, at: number): number {
    const trie = this.#trie;
    const tokenAt = this.#tokenAt;
    let token = 0;
    let node = ROOT;
    for (let ahead = at; ahead < text.length; ) {
      node = trie.child(node, text[ahead]!);
      if (node < 0) break;
      ahead++;
      const found = tokenAt[node]!;
      if (found > 0) {
        token = found - 1;
        this.#matchEnd = ahead;
      }
    }
    return token;
  }

  /** Adds the token, or finds it if another cut has already added it. */
  #addToken(text: Uint8Array, start: number, end: number): number {
    const node = this.#trie.insert(text, start, end);
    if (node >= this.#tokenAt.length) {
      const grown = new Uint32Array(Math.max(node + 1, this.#tokenAt.length * 2));
      grown.set(this.#tokenAt);
      this.#tokenAt = grown;
    }
    if (this.#tokenAt[node]! > 0) return this.#tokenAt[node]! - 1;
    this.#bytes.pushRange(text, start, end);
    this.#starts[this.#count + 1] = this.#bytes.length;
    this.#tokenAt[node] = this.#count + 1;
    return this.#count++;
  }

  #length(token: number): number {
    return this.#starts[token + 1]! - this.#starts[token]!;
  }

  /**
   * Single bytes always stay; other tokens stay if they likely save more than their room in the
   * table.
   */
  #table(uses: Uint32Array, allBytes: number): TokenTable {
    const scale = Math.max(1, allBytes / Math.max(this.#sampleBytes, 1));
    const kept: number[] = [];
    for (let token = 0; token < this.#count; token++) {
      if (token < 256 || (uses[token]! + UNSEEN_USES) * scale > USES_MIN) kept.push(token);
    }
    kept.sort((a, b) => uses[b]! - uses[a]! || a - b);
    const frequentCount = chooseFrequentCount(kept, uses);
    const size = kept.reduce((sum, token) => sum + this.#length(token), 0);
    const bytes = new Uint8Array(size);
    const starts = new Uint32Array(kept.length + 1);
    for (const [number, token] of kept.entries()) {
      bytes.set(
        this.#bytes.bytes.subarray(this.#starts[token]!, this.#starts[token + 1]!),
        starts[number],
      );
      starts[number + 1] = starts[number]! + this.#length(token);
    }
    return new TokenTable(frequentCount, bytes, starts, Math.ceil(allBytes / 1024));
  }
}

/**
 * The greatest number of one-byte codes that leaves room for all tokens: each further one saves a
 * byte per use.
 */
function chooseFrequentCount(kept: readonly number[], uses: Uint32Array): number {
  let frequent = 255;
  while (frequent > 0 && (tokenCapacity(frequent) < kept.length || uses[kept[frequent - 1]!] === 0))
    frequent--;
  return frequent;
}
