/**
 * Finds the ends of values in compact JSON that was validated before, without a tape. The bytes may
 * come in parts: a scan continues at the end of the part before.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Change of the depth at a byte outside of strings. */
const DEPTH_STEP = new Int8Array(256);
for (const opening of [0x7b, 0x5b]) DEPTH_STEP[opening] = 1;
for (const closing of [0x7d, 0x5d]) DEPTH_STEP[closing] = -1;

export class ValueEnd {
  #at = 0;
  #depth = 0;
  #inString = false;
  #isFound = false;

  /** Starts a scan of the value whose first byte is at `start`. */
  begin(start: number): void {
    this.#at = start;
    this.#depth = 0;
    this.#inString = false;
    this.#isFound = false;
  }

  /**
   * The offset after the value, or −1 if `bytes[…, end)` does not contain it: the end of a number
   * or literal is known at the byte that follows it.
   */
  find(bytes: Uint8Array, end: number): number {
    while (!this.#isFound) {
      const isPassed = this.#inString ? this.#passString(bytes, end) : this.#toString(bytes, end);
      if (!isPassed) return -1;
    }
    return this.#at;
  }

  /**
   * Moves into the next string or to the end of the value. Returns false if the bytes end before.
   */
  #toString(bytes: Uint8Array, end: number): boolean {
    let depth = this.#depth;
    let at = this.#at;
    for (; at < end && !this.#isFound && !this.#inString; at++) {
      const byte = bytes[at]!;
      const step = DEPTH_STEP[byte]!;
      if (depth === 0 && (step < 0 || byte === COMMA)) {
        this.#isFound = true;
        break;
      }
      depth += step;
      this.#inString = byte === QUOTE;
      this.#isFound = step < 0 && depth === 0;
    }
    this.#depth = depth;
    this.#at = at;
    return this.#isFound || this.#inString;
  }

  /** Moves after the string's closing quote. Returns false if the bytes end before. */
  #passString(bytes: Uint8Array, end: number): boolean {
    let at = this.#at;
    while (at < end && bytes[at] !== QUOTE) {
      // An escaped character may lie beyond the end: the next call starts after it.
      at += bytes[at] === BACKSLASH ? 2 : 1;
    }
    const isPassed = at < end;
    this.#inString = !isPassed;
    this.#isFound = isPassed && this.#depth === 0;
    this.#at = isPassed ? at + 1 : at;
    return isPassed;
  }
}
