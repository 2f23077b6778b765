/**
 * Compression of many short, similar texts (JSON documents) with fast access to each: a table of up
 * to some ten thousand byte strings ("tokens") learnt from a sample, and each text as a sequence of
 * token numbers. Frequent tokens take one byte, the others two. Chosen over blocks compressed with
 * back-references, because one text decodes by itself, and smaller: 0.30 of the films' JSON.
 *
 * Serialized table: u32 number of one-byte codes F, u32 number of tokens T, u32 kilobytes of text
 * it was learnt for, u8 × T token lengths (1 … 255), token bytes in order. Code of token t: the
 * byte t when t < F; else, with r = t − F, the bytes F + (r >>> 8), r & 255.
 */

export const TOKEN_BYTES_MAX = 64;
const HEAD_BYTES = 12;

/** Tokens that fit when `frequent` of them have one-byte codes. */
export const tokenCapacity = (frequent: number): number => frequent + (256 - frequent) * 256;

export class TokenTable {
  readonly frequentCount: number;
  readonly tokenCount: number;
  /** Token `t` is `bytes[starts[t], starts[t + 1])`. */
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  /** Kilobytes of text the table was learnt for; much more text needs a new table. */
  readonly learntKilobytes: number;

  constructor(
    frequentCount: number,
    bytes: Uint8Array,
    starts: Uint32Array,
    learntKilobytes: number,
  ) {
    this.learntKilobytes = learntKilobytes;
    this.frequentCount = frequentCount;
    this.tokenCount = starts.length - 1;
    this.bytes = bytes;
    this.starts = starts;
  }

  /** Throws a plain error when the parts do not fit together. */
  static parse(serialized: Uint8Array): TokenTable {
    if (serialized.length < HEAD_BYTES) throw new Error('a token table is too short');
    const view = new DataView(serialized.buffer, serialized.byteOffset, serialized.length);
    const frequentCount = view.getUint32(0, true);
    const count = view.getUint32(4, true);
    const bytesAt = HEAD_BYTES + count;
    if (frequentCount > 256 || bytesAt > serialized.length)
      throw new Error(`a token table of ${count} tokens is too short`);
    const starts = new Uint32Array(count + 1);
    for (let token = 0; token < count; token++)
      starts[token + 1] = starts[token]! + serialized[HEAD_BYTES + token]!;
    if (bytesAt + starts[count]! !== serialized.length)
      throw new Error('a token table has another length than its tokens');
    return new TokenTable(
      frequentCount,
      serialized.subarray(bytesAt),
      starts,
      view.getUint32(8, true),
    );
  }

  /** Length of the code at `at`. */
  codeBytesAt(codes: Uint8Array, at: number): number {
    return codes[at]! < this.frequentCount ? 1 : 2;
  }

  /** Length of the token that the code at `at` stands for; 0 of an unknown code. */
  lengthAt(codes: Uint8Array, at: number): number {
    const { frequentCount, starts } = this;
    let token = codes[at]!;
    if (token >= frequentCount)
      token = frequentCount + ((token - frequentCount) << 8) + codes[at + 1]!;
    return (starts[token + 1]! - starts[token]!) | 0;
  }

  serialize(): Uint8Array {
    const { tokenCount, starts } = this;
    const serialized = new Uint8Array(HEAD_BYTES + tokenCount + starts[tokenCount]!);
    const view = new DataView(serialized.buffer);
    view.setUint32(0, this.frequentCount, true);
    view.setUint32(4, tokenCount, true);
    view.setUint32(8, this.learntKilobytes, true);
    for (let token = 0; token < tokenCount; token++)
      serialized[HEAD_BYTES + token] = starts[token + 1]! - starts[token]!;
    serialized.set(this.bytes.subarray(0, starts[tokenCount]!), HEAD_BYTES + tokenCount);
    return serialized;
  }
}

/** Length of the text that the codes stand for. */
export function decodedLength(table: TokenTable, codes: Uint8Array): number {
  let length = 0;
  for (let at = 0; at < codes.length; at += table.codeBytesAt(codes, at))
    length += table.lengthAt(codes, at);
  return length;
}
