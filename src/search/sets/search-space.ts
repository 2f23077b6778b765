/**
 * Memory for what a search makes and nobody needs after it: lent while it runs, taken back when it
 * has ended, used by the next one. Large arrays lie outside of V8's heap; some tens of megabytes of
 * new ones make V8 collect the whole heap, which takes longer than most searches.
 */

/**
 * Numbers of an array that is lent: shorter ones do not add up to collections. Indexes of fewer than
 * 16,384 documents make no longer bitsets.
 */
const LENGTH_MIN = 512;
/** Lengths of blocks are rounded up to one of so many in each doubling. */
const STEPS_BITS = 3;
/** Of all blocks together; what a search asks for beyond is made for it alone. */
const BYTES_MAX = 16 << 20;

/** An array that is lent as a view of the length that was asked for. */
interface Block {
  readonly numbers: Uint32Array;
  view: Uint32Array;
}

function roundedUp(length: number): number {
  const step = 1 << Math.max(0, 31 - Math.clz32(length) - STEPS_BITS);
  return Math.ceil(length / step) * step;
}

export class SearchSpace {
  /** Shorter arrays are new. Tests make it small. */
  lengthMin = LENGTH_MIN;
  readonly #bytesMax: number;
  readonly #waiting = new Map<number, Block[]>();
  readonly #lent = new Map<Uint32Array, Block>();
  /** Of all blocks, lent or not. */
  #bytes = 0;
  #isOpen = false;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Runs a search: arrays are lent until it ends, so nothing it returns or keeps may be one of
   * them. Without, every array is new.
   */
  during<Result>(search: () => Result): Result {
    if (this.#isOpen) return search();
    this.#isOpen = true;
    try {
      return search();
    } finally {
      this.#isOpen = false;
      for (const block of this.#lent.values()) this.#wait(block);
      this.#lent.clear();
    }
  }

  /** So many numbers, whatever they are. */
  numbers(length: number): Uint32Array {
    return this.lends(length) ? this.#lend(length) : new Uint32Array(length);
  }

  /** Whether an array of that length is lent now: a search runs, and it is long. */
  lends(length: number): boolean {
    return this.#isOpen && length >= this.lengthMin;
  }

  #lend(length: number): Uint32Array {
    const rounded = roundedUp(length);
    const block = this.#waiting.get(rounded)?.pop() ?? this.#newBlock(rounded);
    if (block === null) return new Uint32Array(length);
    if (block.view.length !== length) block.view = block.numbers.subarray(0, length);
    this.#lent.set(block.view, block);
    return block.view;
  }

  zeros(length: number): Uint32Array {
    return this.lends(length) ? this.#lend(length).fill(0) : new Uint32Array(length);
  }

  /** A copy of the numbers from `start` to `end`. */
  copyOf(numbers: Uint32Array, start = 0, end = numbers.length): Uint32Array {
    if (!this.lends(end - start)) return numbers.slice(start, end);
    const copy = this.#lend(end - start);
    copy.set(end - start === numbers.length ? numbers : numbers.subarray(start, end));
    return copy;
  }

  /** Whether the array goes back when the search ends. */
  isLent(numbers: Uint32Array): boolean {
    return this.#lent.has(numbers);
  }

  /** Takes an array back that nobody looks at any more; does nothing when it is not lent. */
  takeBack(numbers: Uint32Array): void {
    const block = this.lends(numbers.length) ? this.#lent.get(numbers) : undefined;
    if (block === undefined) return;
    this.#lent.delete(numbers);
    this.#wait(block);
  }

  #wait(block: Block): void {
    const { length } = block.numbers;
    const alike = this.#waiting.get(length);
    if (alike) alike.push(block);
    else this.#waiting.set(length, [block]);
  }

  /** null when there is no room for it. */
  #newBlock(length: number): Block | null {
    const bytes = length * Uint32Array.BYTES_PER_ELEMENT;
    if (this.#bytes + bytes > this.#bytesMax) this.#letGo();
    if (this.#bytes + bytes > this.#bytesMax) return null;
    this.#bytes += bytes;
    const numbers = new Uint32Array(length);
    return { numbers, view: numbers };
  }

  /** Of all blocks that are not lent. */
  #letGo(): void {
    for (const blocks of this.#waiting.values())
      for (const { numbers } of blocks) this.#bytes -= numbers.byteLength;
    this.#waiting.clear();
  }
}

/** That of the searches of a thread. */
export const SEARCH_SPACE = new SearchSpace();
