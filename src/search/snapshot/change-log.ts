/**
 * Change log of an index: the documents changed by each generation, as one thread has seen them. A
 * cached result of an earlier generation is patched with it instead of recomputed.
 *
 * A commit adds a segment with the documents it wrote and marks documents as deleted; all other
 * documents keep their content and DocIds. So a result about documents equals the earlier one
 * without the *touched* documents, plus the result of the segments added since.
 */

/** Maximum number of generations in the log; older results are recomputed. */
const STEPS_MAX = 256;

interface Step {
  readonly generation: number;
  /** Documents written or removed. */
  readonly touched: Uint32Array;
}

/** Source of unique history names within a thread. */
let historyCount = 0;

export class ChangeLog {
  /** Unique within the thread. */
  readonly name: string;
  readonly #steps: readonly Step[];
  /** Results of this generation or a later one can be patched. */
  readonly #first: number;
  readonly #touchedMax: number;

  private constructor(name: string, steps: readonly Step[], first: number, touchedMax: number) {
    this.name = name;
    this.#steps = steps;
    this.#first = first;
    this.#touchedMax = touchedMax;
  }

  /** A log that begins with this generation of an index. */
  static from(indexId: number, generation: number, touchedMax: number): ChangeLog {
    historyCount++;
    return new ChangeLog(
      `content ${indexId}:${generation}.${historyCount}`,
      [],
      generation,
      touchedMax,
    );
  }

  /** The log with one more generation. */
  extended(generation: number, touched: Uint32Array): ChangeLog {
    const steps = [...this.#steps, { generation, touched }];
    let count = steps.reduce((sum, step) => sum + step.touched.length, 0);
    let first = this.#first;
    while (steps.length > STEPS_MAX || count > this.#touchedMax) {
      const oldest = steps.shift()!;
      first = oldest.generation;
      count -= oldest.touched.length;
    }
    return new ChangeLog(this.name, steps, first, this.#touchedMax);
  }

  /**
   * Documents touched after a generation, ascending and without duplicates; null when the log does
   * not reach back that far.
   */
  changedSince(generation: number): Uint32Array | null {
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
