/**
 * What has changed in the documents of an index, generation by generation, as one thread has seen
 * it: how a result that was found in an earlier generation becomes that of a later one.
 *
 * A commit adds a segment with the documents it wrote and notes the dead ones; all other documents
 * are what they were, under the same DocIds. So a result about documents is the earlier one without
 * the *touched* documents, and with what is found in the segments that have come since.
 */

/** Steps that are remembered; what was found before the oldest is found anew. */
const STEPS_MAX = 256;

interface Step {
  readonly generation: number;
  /** Documents written or removed. */
  readonly touched: Uint32Array;
}

/** Tells the histories of a thread apart. */
let historyCount = 0;

export class ContentHistory {
  /** Names it among all of the thread. */
  readonly name: string;
  readonly #steps: readonly Step[];
  /** What was found in this generation or later can be brought up to date. */
  readonly #first: number;
  readonly #touchedMax: number;

  private constructor(name: string, steps: readonly Step[], first: number, touchedMax: number) {
    this.name = name;
    this.#steps = steps;
    this.#first = first;
    this.#touchedMax = touchedMax;
  }

  /** One that begins with this generation of an index. */
  static from(indexId: number, generation: number, touchedMax: number): ContentHistory {
    historyCount++;
    return new ContentHistory(
      `content ${indexId}:${generation}.${historyCount}`,
      [],
      generation,
      touchedMax,
    );
  }

  /** With one more generation. */
  extended(generation: number, touched: Uint32Array): ContentHistory {
    const steps = [...this.#steps, { generation, touched }];
    let count = steps.reduce((sum, step) => sum + step.touched.length, 0);
    let first = this.#first;
    while (steps.length > STEPS_MAX || count > this.#touchedMax) {
      const oldest = steps.shift()!;
      first = oldest.generation;
      count -= oldest.touched.length;
    }
    return new ContentHistory(this.name, steps, first, this.#touchedMax);
  }

  /**
   * The documents touched after a generation, ascending and each once; null when that is not known
   * any more.
   */
  touchedSince(generation: number): Uint32Array | null {
    if (generation < this.#first) return null;
    const later = this.#steps.filter((step) => step.generation > generation);
    const all = new Uint32Array(later.reduce((sum, { touched }) => sum + touched.length, 0));
    let length = 0;
    for (const { touched } of later) {
      all.set(touched, length);
      length += touched.length;
    }
    all.sort();
    return all.filter((doc, i) => i === 0 || doc !== all[i - 1]);
  }
}
