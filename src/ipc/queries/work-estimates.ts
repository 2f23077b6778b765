/**
 * How much processor time a piece of work on an index is granted where it arrived, by how the same
 * question in the same shape went the last time, or else by what work of its shape took lately. A
 * search that differs in kind from all before it has a shape of its own, of which nothing is known.
 * Holds numbers only: who measures is somebody else.
 */
import { LruMap } from '../../core/lru-map.ts';
import type { QueryTask } from './query-protocol.ts';
import { questionOf, shapeOf } from './work-shape.ts';

/** Work that takes longer than expected is believed sooner than work that takes less. */
const WEIGHT_OF_LONGER = 0.25;
const WEIGHT_OF_SHORTER = 0.1;
/** What is longer than so many times the limit says no more about its shape. */
const SHAPE_LONG_MAX = 4;

/** Shapes and questions that are remembered; those met longest ago are forgotten. */
const SHAPES_MAX = 4096;
const QUESTIONS_MAX = 4096;

/** A try in place is given up a little beyond the limit, for work that is near it. */
const BUDGET = 1.2;
/** What is short aside and was given up here lacks results that are kept there: it gets more, at most so much. */
const BUDGET_MAX = 2;
/** After tries that were given up in a row, the next comes after 1, 2, 4, 8 … and so many times. */
const PATIENCE_MAX = 64;

/** What work takes of which nothing is known: it is not held to be short. */
const UNKNOWN_MS = Number.POSITIVE_INFINITY;

/** How work of a question or of a shape went. */
interface Known {
  /** Of a question: what it took the last time. Of a shape: lately. */
  expectedMs: number;
  /** Tries in place, in a row, that were not short. */
  failedCount: number;
  /** How often such work went aside since the last of them. */
  passedCount: number;
}

/** What is known of the work of a task, and told of it afterwards. */
export class WorkEstimate {
  readonly #longMs: number;
  readonly #ofShape: Known;
  /** null where the question is too long to be remembered. */
  readonly #ofQuestion: Known | null;

  constructor(longMs: number, ofShape: Known, ofQuestion: Known | null) {
    this.#longMs = longMs;
    this.#ofShape = ofShape;
    this.#ofQuestion = ofQuestion;
  }

  /** False while nothing is known of such work. */
  get isShort(): boolean {
    return this.#known.expectedMs < this.#longMs;
  }

  /** Processor time that it gets in place, if it is to be done now; 0 = it is to go aside. */
  grantMs(): number {
    const known = this.#known;
    // Of a shape that is long any other question is, too; the same question may have become short.
    if (!this.isShort && known === this.#ofShape) return 0;
    // That work which is short fails once, as on a busy moment, says nothing yet.
    const failedCount = this.isShort ? Math.max(0, known.failedCount - 1) : known.failedCount;
    if (++known.passedCount < Math.min(2 ** failedCount, PATIENCE_MAX)) return 0;
    known.passedCount = 0;
    const more = this.isShort ? 2 ** failedCount : 1;
    return this.#longMs * Math.min(BUDGET * more, BUDGET_MAX);
  }

  /** Learns from the work that was done, wherever it was. */
  took(milliseconds: number): void {
    const clippedMs = Math.min(milliseconds, SHAPE_LONG_MAX * this.#longMs);
    this.#ofShape.expectedMs = moved(this.#ofShape.expectedMs, clippedMs);
    if (this.#ofQuestion !== null) this.#ofQuestion.expectedMs = milliseconds;
  }

  /** Learns what became of a try in place, beside what the work took. */
  tried(hasSucceeded: boolean): void {
    for (const known of [this.#ofShape, this.#ofQuestion])
      if (known !== null) known.failedCount = hasSucceeded ? 0 : known.failedCount + 1;
  }

  get #known(): Known {
    return this.#ofQuestion !== null && this.#ofQuestion.expectedMs < UNKNOWN_MS
      ? this.#ofQuestion
      : this.#ofShape;
  }
}

export class WorkEstimates {
  readonly #shapes = new LruMap<string, Known>(SHAPES_MAX);
  /** By shape and question. */
  readonly #questions = new LruMap<string, Known>(QUESTIONS_MAX);
  readonly #longMs: number;

  /** @param longMs from so long on work is long */
  constructor(longMs: number) {
    this.#longMs = longMs;
  }

  of(task: QueryTask): WorkEstimate {
    const shape = shapeOf(task);
    const question = questionOf(task.work);
    return new WorkEstimate(
      this.#longMs,
      this.#shapes.getOrMake(shape, unknown),
      question === null ? null : this.#questions.getOrMake(`${shape} ${question}`, unknown),
    );
  }
}

const unknown = (): Known => ({ expectedMs: UNKNOWN_MS, failedCount: 0, passedCount: 0 });

function moved(before: number, milliseconds: number): number {
  if (before === UNKNOWN_MS) return milliseconds;
  const weight = milliseconds > before ? WEIGHT_OF_LONGER : WEIGHT_OF_SHORTER;
  return before + weight * (milliseconds - before);
}
