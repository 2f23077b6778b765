/**
 * Per-thread pool of typed arrays. Arrays are valid until the search returns; the next search
 * reuses them. Large arrays lie outside V8's heap: some tens of megabytes of new ones trigger a
 * full garbage collection, which takes longer than most searches.
 */

/**
 * Minimum length of a pooled array, in numbers: shorter arrays do not cause collections. Indexes of
 * fewer than 16,384 documents have shorter bitsets.
 */
const LENGTH_MIN = 512;
/** Lengths of blocks are rounded up to one of 2^3 steps per doubling. */
const STEPS_BITS = 3;
/** Maximum of all blocks together, in bytes; beyond it, arrays are not pooled. */
const BYTES_MAX = 16 << 20;

/** A pooled array, handed out as a view of the requested length. */
interface Block {
  readonly numbers: Uint32Array;
  view: Uint32Array;
}

function roundedUp(length: number): number {
  const step = 1 << Math.max(0, 31 - Math.clz32(length) - STEPS_BITS);
  return Math.ceil(length / step) * step;
}

export class TypedArrayPool {
  /** Shorter arrays are not pooled. Tests reduce it. */
  lengthMin = LENGTH_MIN;
  readonly #bytesMax: number;
  readonly #waiting = new Map<number, Block[]>();
  readonly #lent = new Map<Uint32Array, Block>();
  /** Bytes of all blocks, in use or free. */
  #bytes = 0;
  #isOpen = false;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Runs a search with pooled arrays, which are valid until it returns: the search must not return
   * or retain one. Outside of this call no array is pooled.
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

  /** Returns `length` numbers with undefined content. */
  numbers(length: number): Uint32Array {
    return this.lends(length) ? this.#lend(length) : new Uint32Array(length);
  }

  /**
   * True if an array of that length would be pooled: a search is running and the array is long
   * enough.
   */
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

  copyOf(numbers: Uint32Array, start = 0, end = numbers.length): Uint32Array {
    if (!this.lends(end - start)) return numbers.slice(start, end);
    const copy = this.#lend(end - start);
    copy.set(end - start === numbers.length ? numbers : numbers.subarray(start, end));
    return copy;
  }

  /** True if the array returns to the pool when the search ends. */
  isLent(numbers: Uint32Array): boolean {
    return this.#lent.has(numbers);
  }

  /** Returns an array to the pool before the search ends; ignores arrays that are not pooled. */
  release(numbers: Uint32Array): void {
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

  /** null when the pool is full. */
  #newBlock(length: number): Block | null {
    const bytes = length * Uint32Array.BYTES_PER_ELEMENT;
    if (this.#bytes + bytes > this.#bytesMax) this.#letGo();
    if (this.#bytes + bytes > this.#bytesMax) return null;
    this.#bytes += bytes;
    const numbers = new Uint32Array(length);
    return { numbers, view: numbers };
  }

  /** Drops all free blocks. */
  #letGo(): void {
    for (const blocks of this.#waiting.values())
      for (const { numbers } of blocks) this.#bytes -= numbers.byteLength;
    this.#waiting.clear();
  }
}

/** That of the searches of a thread. */
export const TYPED_ARRAY_POOL = new TypedArrayPool();
