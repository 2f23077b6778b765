/**
 * Classes of documents by the score of a word, to bound scores before weighing. Computed from all
 * occurrences once, then cached (relevance.md 3.15).
 */

import type { Deadline } from '../../core/deadline.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { DocSet } from '../sets/doc-set.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { CostSet } from '../snapshot/cached-values.ts';
import type { Word } from '../snapshot/derivations.ts';
import { fieldLengths } from '../snapshot/field-lengths.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { wordWithin } from '../snapshot/segment-subset.ts';
import { SATURATED_MAX, SHARE } from './bm25f.ts';
import { DocumentNumbers, DocumentWeigher, occurrenceWeights } from './document-weights.ts';
import type { WordClass } from './query-units.ts';

/**
 * Documents where the score of a word is at most this number times its inverse document frequency.
 */
export interface Strength {
  readonly docs: DocSet;
  readonly most: number;
}

export interface Strengths {
  /** The class with the highest scores first. */
  readonly strong: readonly Strength[];
  /** Maximum score of the word in all other documents. */
  readonly otherMost: number;
}

/**
 * Upper ends of the classes, as factors of a word's inverse document frequency; one more class is
 * above the last.
 */
const ENDS = [1, 1.35, 1.75] as const;

/**
 * Average lengths are rounded to one of 16 steps per doubling, so that they seldom change when
 * documents do.
 */
const AVERAGE_STEPS = 16;

/** Weights of occurrences, valid while average lengths stay in their step. */
interface Scale {
  /** By global field and code of length. */
  readonly weights: readonly Float64Array[];
  /** Key of everything that the weights depend on. */
  readonly name: string;
  /** Maximum factor of actual weights over `weights`. */
  readonly slack: number;
}

const scales = new WeakMap<IndexSnapshot, Scale>();

function scaleOf(snapshot: IndexSnapshot): Scale {
  return getOrCompute(scales, snapshot, () => {
    const lengths = fieldLengths(snapshot);
    const averages = snapshot.fields.paths.map((_, field) => lengths.average(field));
    const steps = averages.map((average) => Math.round(Math.log2(average) * AVERAGE_STEPS));
    const stepped = steps.map((step) => 2 ** (step / AVERAGE_STEPS));
    return {
      weights: occurrenceWeights(snapshot, (field) => stepped[field]!),
      name: `${steps.join()} ${snapshot.fields.weights.join()}`,
      slack: averages.reduce((most, average, i) => Math.max(most, average / stepped[i]!), 1),
    };
  });
}

/** True if the occurrences in all fields determine the score of a class of words. */
const isCountable = (
  { words, ranges, phrases, scope }: WordClass,
  { everywhere }: IndexSnapshot,
): boolean => words.length > 0 && ranges === null && phrases.length === 0 && scope === everywhere;

/**
 * Strengths of the words of a class; null when the score depends on more than occurrences, or the
 * deadline expired.
 */
export function strengthsOf(
  snapshot: IndexSnapshot,
  own: WordClass,
  deadline: Deadline,
): Strengths | null {
  if (!isCountable(own, snapshot) || deadline.exceeded) return null;
  const { weights, name, slack } = scaleOf(snapshot);
  const words = JSON.stringify([textsOf(own.words), textsOf(own.relatives)]);
  const kept = snapshot.queryCache.getOrMake(
    CACHE_KINDS.documentsByStrength,
    { scale: name, words },
    (part) => groupedByStrength(snapshot, part, own, weights),
  );
  const mostOf = (cost: number): number =>
    Math.min((ENDS[cost] ?? SATURATED_MAX) * slack, SATURATED_MAX);
  return {
    strong: [...kept]
      .sort((a, b) => b.cost - a.cost)
      .map(({ cost, docs }) => ({ docs, most: mostOf(cost) })),
    otherMost: mostOf(0),
  };
}

const textsOf = (words: readonly Word[]): readonly string[] => words.map(({ text }) => text);

/** Scores by document, while the documents of a word are classified. */
const said = new DocumentNumbers();

/** The documents of a subset of the snapshot above the lowest class, by class. */
function groupedByStrength(
  whole: IndexSnapshot,
  part: IndexSnapshot,
  { words, relatives }: WordClass,
  weights: readonly Float64Array[],
): CostSet[] {
  const { bitsetLength, liveBits, everywhere } = part;
  const weigher = new DocumentWeigher(part, weights);
  const among = { bits: liveBits, listed: null, places: null };
  said.prepare(bitsetLength * 32);
  try {
    for (const word of words)
      weigher.sum(wordWithin(word, whole, part), everywhere, 1, among, said);
    for (const word of relatives)
      weigher.sum(wordWithin(word, whole, part), everywhere, SHARE.relative, among, said);
    said.saturate(1);
    return ENDS.map((end, i) => {
      const next = ENDS[i + 1] ?? Number.POSITIVE_INFINITY;
      return { cost: i + 1, docs: DocSet.fromUnordered(said.between(end, next), bitsetLength) };
    }).filter(({ docs }) => !docs.isEmpty);
  } finally {
    said.clear();
  }
}
