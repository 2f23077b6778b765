/** Texts from their codes (token-table.ts), with two unaligned stores for each token that has eight bytes at most: five of six have. */
import type { TokenTable } from './token-table.ts';

/** Bytes of a token that are copied without looking at its length. */
const HEAD_BYTES = 8;
/** Lengths are bytes. */
const TOKEN_ROOM = 256;

/** Decodes into scratch space of its own. */
export class TokenDecoder {
  readonly #table: TokenTable;
  /** Token `t` begins with the bytes of words `2t` and `2t + 1`, little-endian. */
  readonly #heads: Uint32Array;
  #scratch = new Uint8Array(1 << 14);
  #view = new DataView(this.#scratch.buffer);

  constructor(table: TokenTable) {
    this.#table = table;
    this.#heads = headsOf(table);
  }

  /** The text of `codes[start, end)`; valid until the next call. Unknown codes stand for nothing. */
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
    const heads = this.#heads;
    const scratch = this.#scratch;
    const view = this.#view;
    let length = lengthBefore;
    let at = from;
    while (at < stop) {
      let token = codes[at++]!;
      if (token >= frequentCount) token = frequentCount + ((token - frequentCount) << 8) + codes[at++]!;
      const start = starts[token]!;
      const size = (starts[token + 1]! - start) | 0;
      view.setUint32(length, heads[2 * token]!, true);
      view.setUint32(length + 4, heads[2 * token + 1]!, true);
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

function headsOf({ tokenCount, bytes, starts }: TokenTable): Uint32Array {
  const heads = new Uint32Array(2 * tokenCount);
  for (let token = 0; token < tokenCount; token++) {
    const start = starts[token]!;
    const size = Math.min(HEAD_BYTES, starts[token + 1]! - start);
    for (let i = 0; i < size; i++) heads[2 * token + (i >>> 2)]! |= bytes[start + i]! << (8 * (i & 3));
  }
  return heads;
}
