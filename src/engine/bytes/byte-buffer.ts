/** Growable bytes that are written front to back and reused: JSON, and sections of files. */

/** The bytes exceed the buffer's limit. */
export class BufferFull extends Error {}

const INITIAL_BYTES = 1024;
/** A larger buffer is freed when it is cleared. */
const KEPT_BYTES_MAX = 1 << 22;
/** Fewer bytes are copied faster one by one. */
const LOOPED_BYTES_MAX = 24;
const DIGIT_0 = 0x30;
const utf8 = new TextEncoder();

export class ByteBuffer {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;
  #bytesMax = Number.POSITIVE_INFINITY;

  constructor(capacity = INITIAL_BYTES) {
    this.bytes = new Uint8Array(capacity);
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT_BYTES_MAX) this.bytes = new Uint8Array(INITIAL_BYTES);
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    if (needed > this.#bytesMax) throw new BufferFull();
    const larger = new Uint8Array(
      Math.max(needed, Math.min(this.bytes.length * 2, this.#bytesMax)),
    );
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  pushByte(byte: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** Copies `[start, end)` of `source`. */
  pushRange(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    const { bytes, length } = this;
    if (count > LOOPED_BYTES_MAX) bytes.set(source.subarray(start, end), length);
    else for (let i = 0; i < count; i++) bytes[length + i] = source[start + i]!;
    this.length += count;
  }

  pushBytes(source: Uint8Array): void {
    const count = source.length;
    if (count <= LOOPED_BYTES_MAX) {
      this.pushRange(source, 0, count);
      return;
    }
    this.reserve(count);
    this.bytes.set(source, this.length);
    this.length += count;
  }

  pushText(text: string): void {
    const bytes = text.length * 3;
    if (this.length + bytes > this.#bytesMax) {
      if (this.length + text.length > this.#bytesMax) throw new BufferFull();
      this.pushBytes(utf8.encode(text));
      return;
    }
    this.reserve(bytes);
    this.length += utf8.encodeInto(text, this.bytes.subarray(this.length)).written;
  }

  /** Appends a whole number, fast from 0 to 2^31. */
  pushInteger(value: number): void {
    if (!(value >= 0 && value < 2 ** 31)) {
      this.pushText(String(value));
      return;
    }
    let digits = 1;
    for (let bound = 10; value >= bound; bound *= 10) digits++;
    this.reserve(digits);
    this.length += digits;
    const { bytes } = this;
    let rest = value | 0;
    for (let at = this.length - 1; digits > 0; digits--, at--) {
      const tens = (rest / 10) | 0;
      bytes[at] = DIGIT_0 + rest - tens * 10;
      rest = tens;
    }
  }

  /** Little-endian. */
  pushU32(value: number): void {
    this.reserve(4);
    const { bytes, length } = this;
    bytes[length] = value;
    bytes[length + 1] = value >>> 8;
    bytes[length + 2] = value >>> 16;
    bytes[length + 3] = value >>> 24;
    this.length = length + 4;
  }

  /** Seven bits a byte, low ones first, for 0 … 2³²−1. */
  pushVarint(value: number): void {
    this.reserve(5);
    const { bytes } = this;
    let at = this.length;
    let rest = value >>> 0;
    while (rest > 0x7f) {
      bytes[at++] = rest | 0x80;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.length = at;
  }

  /** Zero bytes up to the next multiple of four. */
  align(): void {
    const padding = -this.length & 3;
    this.reserve(padding);
    this.bytes.fill(0, this.length, this.length + padding);
    this.length += padding;
  }

  /** The written bytes; valid until the next write. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** A copy of the written bytes. */
  copy(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /**
   * Empties the buffer for an answer.
   * @param bytesMax writing beyond it throws `BufferFull` before memory is allocated
   */
  begin(bytesMax: number): void {
    this.clear();
    this.#bytesMax = bytesMax;
  }
}
