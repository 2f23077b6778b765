/**
 * Reads varints from a byte array, keeping the position; past the end it yields zeros, so damaged
 * input cannot hang a loop.
 */

export class VarintCursor {
  bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, position = 0) {
    this.bytes = bytes;
    this.position = position;
  }

  next(): number {
    const bytes = this.bytes;
    const byte = bytes[this.position++]!;
    return byte < 0x80 ? byte : this.#long(byte);
  }

  #long(first: number): number {
    if (this.position > this.bytes.length) return 0;
    let value = first & 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      if (this.position >= this.bytes.length) return 0;
      const byte = this.bytes[this.position++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value >>> 0;
  }
}
