/**
 * Texts from their codes (token-table.ts), with two unaligned stores for each token that has eight
 * bytes at most: five of six have.
 */
import type { TokenTable } from './token-table.ts';

/** Bytes of a token that are copied without looking at its length. */
const HEAD_BYTES = 8;
/** Lengths are bytes. */
const TOKEN_ROOM = 256;

/** Decodes into scratch space of its own. */
export class TokenDecoder {
  readonly #table: TokenTable;
  /** The bytes of all tokens, with room to read beyond the last. */
  readonly #tokens: DataView;
  #scratch = new Uint8Array(1 << 14);
  #view = new DataView(this.#scratch.buffer);

  constructor(table: TokenTable) {
    this.#table = table;
    const tokens = new Uint8Array(table.bytes.length + HEAD_BYTES);
    tokens.set(table.bytes);
    this.#tokens = new DataView(tokens.buffer);
  }

  /**
   * The text of `codes[start, end)`; valid until the next call. Unknown codes stand for nothing.
   */
  decode(codes: Uint8Array, start: number, end: number): Uint8Array {
    let length = 0;
    for (let at = start; at < end; ) {
      const room = Math.floor((this.#scratch.length - length) / TOKEN_ROOM);
      if (room < 2) {
        this.#grow();
        continue;
      }
      const stop = Math.min(end, at + room);
      length = this.#decodePart(codes, at, stop, length);
      at = this.#stoppedAt;
    }
    return this.#scratch.subarray(0, length);
  }

  #stoppedAt = 0;

  /** Decodes while codes start before `stop`; the room left must suffice for that many tokens. */
  #decodePart(codes: Uint8Array, from: number, stop: number, lengthBefore: number): number {
    const { frequentCount, bytes, starts } = this.#table;
    const tokens = this.#tokens;
    const scratch = this.#scratch;
    const view = this.#view;
    let length = lengthBefore;
    let at = from;
    while (at < stop) {
      let token = codes[at++]!;
      if (token >= frequentCount)
        token = frequentCount + ((token - frequentCount) << 8) + codes[at++]!;
      const start = starts[token]!;
      const size = (starts[token + 1]! - start) | 0;
      if (size === 0) continue;
      view.setUint32(length, tokens.getUint32(start));
      view.setUint32(length + 4, tokens.getUint32(start + 4));
      for (let i = HEAD_BYTES; i < size; i++) scratch[length + i] = bytes[start + i]!;
      length += size;
    }
    this.#stoppedAt = at;
    return length;
  }

  #grow(): void {
    const grown = new Uint8Array(this.#scratch.length * 2);
    grown.set(this.#scratch);
    this.#scratch = grown;
    this.#view = new DataView(grown.buffer);
  }
}
