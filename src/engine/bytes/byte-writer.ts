/** Growable little-endian byte buffer: integers, varints and byte runs are appended. */

export class ByteWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 1024) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  u8(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  u32(value: number): void {
    this.reserve(4);
    const { bytes, length } = this;
    bytes[length] = value;
    bytes[length + 1] = value >>> 8;
    bytes[length + 2] = value >>> 16;
    bytes[length + 3] = value >>> 24;
    this.length = length + 4;
  }

  /** Seven bits a byte, low ones first, for 0 … 2³²−1. */
  varint(value: number): void {
    this.reserve(5);
    const bytes = this.bytes;
    let at = this.length;
    let rest = value >>> 0;
    while (rest > 0x7f) {
      bytes[at++] = rest | 0x80;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.length = at;
  }

  append(source: Uint8Array, start = 0, end = source.length): void {
    const count = end - start;
    this.reserve(count);
    if (count < 24) {
      const { bytes, length } = this;
      for (let i = 0; i < count; i++) bytes[length + i] = source[start + i]!;
    } else {
      this.bytes.set(source.subarray(start, end), this.length);
    }
    this.length += count;
  }

  /** The words as little-endian bytes. */
  appendWords(words: Uint32Array, start = 0, end = words.length): void {
    this.append(new Uint8Array(words.buffer, words.byteOffset + start * 4, (end - start) * 4));
  }

  /** Zero bytes up to the next multiple of four. */
  align(): void {
    const padding = -this.length & 3;
    this.reserve(padding);
    this.bytes.fill(0, this.length, this.length + padding);
    this.length += padding;
  }

  /** What was written; shares memory with the writer. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}
