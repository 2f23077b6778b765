/**
 * Decodes texts from their codes (token-table.ts), with two unaligned stores for each token of at
 * most eight bytes: five of six tokens.
 */
import { doubled } from '../../core/doubled.ts';
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
  #length = 0;

  constructor(table: TokenTable) {
    this.#table = table;
    const tokens = new Uint8Array(table.bytes.length + HEAD_BYTES);
    tokens.set(table.bytes);
    this.#tokens = new DataView(tokens.buffer);
  }

  /** The text of `codes[start, end)`; valid until the next call. Unknown codes yield no text. */
  decode(codes: Uint8Array, start: number, end: number): Uint8Array {
    this.clear();
    this.append(codes, start, end);
    return this.#scratch.subarray(0, this.#length);
  }

  /** Drops the text decoded so far. */
  clear(): void {
    this.#length = 0;
  }

  /** Text decoded since `clear` is `bytes[0, length)`; `bytes` is another array after it grew. */
  get bytes(): Uint8Array {
    return this.#scratch;
  }
  get length(): number {
    return this.#length;
  }

  /** Decodes the codes that start in `codes[start, end)`. Returns the end of the last one. */
  append(codes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const room = Math.floor((this.#scratch.length - this.#length) / TOKEN_ROOM);
      if (room < 2) {
        this.#grow();
        continue;
      }
      at = this.#decodePart(codes, at, Math.min(end, at + room));
    }
    return at;
  }

  /**
   * Decodes while codes start before `stop`; the room left must suffice for that number of tokens.
   */
  #decodePart(codes: Uint8Array, from: number, stop: number): number {
    const { frequentCount, bytes, starts } = this.#table;
    const tokens = this.#tokens;
    const scratch = this.#scratch;
    const view = this.#view;
    let length = this.#length;
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
    this.#length = length;
    return at;
  }

  #grow(): void {
    this.#scratch = doubled(this.#scratch);
    this.#view = new DataView(this.#scratch.buffer);
  }
}
