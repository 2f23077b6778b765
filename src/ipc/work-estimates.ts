/**
 * How much processor time a piece of work on an index is granted where it arrived, by how the same
 * question in the same shape went the last time, or else by what work of its shape took lately. A
 * search that differs in kind from all before it has a shape of its own, of which nothing is known.
 * Holds numbers only: who measures is somebody else.
 */
import { LruMap } from '../core/lru-map.ts';
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

/** How work of a question or of a shape went. */
interface Known {
  /** Of a question: what it took the last time. Of a shape: lately, without what was given up. */
  expectedMs: number;
  /** Tries in place, in a row, that were not short. */
  failedCount: number;
  /** How often such work went aside since the last of them. */
  passedCount: number;
}

/** What is known of one piece of work, and told of it afterwards. */
export interface WorkEstimate {
  /** Processor time in place; 0 = it is to go aside. */
  readonly budgetMs: number;
  /** Learns from the work that was done in place, or given up there after so long. */
  tookInPlace(milliseconds: number): void;
  tookAside(milliseconds: number): void;
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
    const key = question === null ? null : `${shape} ${question}`;
    return {
      budgetMs: this.#budgetMs(shape, key),
      tookInPlace: (milliseconds) => this.#tookInPlace(shape, key, milliseconds),
      tookAside: (milliseconds) => this.#learn(shape, key, milliseconds),
    };
  }

  #budgetMs(shape: string, question: string | null): number {
    const asked = question === null ? undefined : this.#questions.get(question);
    const known = asked ?? this.#shapes.get(shape);
    if (known === undefined) return 0;
    const isLong = known.expectedMs >= this.#longMs;
    // Of a shape that is long any other question is, too; the same question may have become short.
    if (isLong && asked === undefined) return 0;
    const { failedCount } = known;
    if ((isLong || failedCount > 0) && ++known.passedCount < patienceAfter(failedCount)) return 0;
    known.passedCount = 0;
    const more = isLong ? 1 : 2 ** Math.max(0, failedCount - 1);
    return this.#longMs * Math.min(BUDGET * more, BUDGET_MAX);
  }

  #tookInPlace(shape: string, question: string | null, milliseconds: number): void {
    const isShort = milliseconds < this.#longMs;
    if (isShort) this.#learn(shape, question, milliseconds);
    for (const known of this.#known(shape, question, milliseconds))
      if (known !== undefined) known.failedCount = isShort ? 0 : known.failedCount + 1;
  }

  #learn(shape: string, question: string | null, milliseconds: number): void {
    const clippedMs = Math.min(milliseconds, SHAPE_LONG_MAX * this.#longMs);
    const [ofShape, ofQuestion] = this.#known(shape, question, clippedMs);
    ofShape.expectedMs = moved(ofShape.expectedMs, clippedMs);
    if (ofQuestion !== undefined) ofQuestion.expectedMs = milliseconds;
  }

  /** What was unknown took so long. */
  #known(shape: string, question: string | null, expectedMs: number): [Known, Known?] {
    const make = (): Known => ({ expectedMs, failedCount: 0, passedCount: 0 });
    const ofShape = this.#shapes.getOrMake(shape, make);
    return question === null ? [ofShape] : [ofShape, this.#questions.getOrMake(question, make)];
  }
}

const patienceAfter = (failedCount: number): number => Math.min(2 ** failedCount, PATIENCE_MAX);

function moved(before: number, milliseconds: number): number {
  const weight = milliseconds > before ? WEIGHT_OF_LONGER : WEIGHT_OF_SHORTER;
  return before + weight * (milliseconds - before);
}
