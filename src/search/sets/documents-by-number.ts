/** Documents grouped by a number of each document, by a counting sort. */
import { DocSet } from './doc-set.ts';
import { TYPED_ARRAY_POOL } from './typed-array-pool.ts';

export class DocumentsByNumber {
  readonly #docs: Uint32Array;
  /** Where the documents of each number start, and the end of the last. */
  readonly #starts: Uint32Array;
  readonly #bitsetLength: number;

  /**
   * @param docs ascending
   * @param numbers by place in `docs`; documents with `end` or more are left out
   */
  constructor(docs: Uint32Array, numbers: ArrayLike<number>, end: number, bitsetLength: number) {
    let highest = -1;
    for (let i = 0; i < docs.length; i++)
      if (numbers[i]! > highest && numbers[i]! < end) highest = numbers[i]!;
    const starts = new Uint32Array(highest + 2);
    for (let i = 0; i < docs.length; i++) if (numbers[i]! < end) starts[numbers[i]! + 1]!++;
    for (let n = 1; n < starts.length; n++) starts[n]! += starts[n - 1]!;
    const next = starts.slice();
    const grouped = TYPED_ARRAY_POOL.numbers(starts[highest + 1]!);
    for (let i = 0; i < docs.length; i++)
      if (numbers[i]! < end) grouped[next[numbers[i]!]!++] = docs[i]!;
    this.#docs = grouped;
    this.#starts = starts;
    this.#bitsetLength = bitsetLength;
  }

  /** The numbers that documents have, ascending. */
  get numbers(): number[] {
    const starts = this.#starts;
    const found: number[] = [];
    for (let n = 0; n + 1 < starts.length; n++) if (starts[n]! < starts[n + 1]!) found.push(n);
    return found;
  }

  with(number: number): DocSet {
    const list = TYPED_ARRAY_POOL.copyOf(
      this.#docs,
      this.#starts[number],
      this.#starts[number + 1],
    );
    return DocSet.fromList(list, this.#bitsetLength);
  }
}
