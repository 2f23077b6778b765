/**
 * Documents by how much the occurrences of a word say there, in a few classes: what bounds documents
 * before they are weighed. Made of all occurrences once, then kept (relevance.md 3.15).
 */
import type { Deadline } from '../../core/deadline.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { Word } from '../snapshot/derivations.ts';
import { fieldLengths } from '../snapshot/field-lengths.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { KEPT } from '../snapshot/kept-kinds.ts';
import type { CostSet } from '../snapshot/kept-values.ts';
import { wordWithin } from '../snapshot/snapshot-part.ts';
import { SATURATED_MAX, SHARE } from './bm25f.ts';
import { DocumentNumbers, DocumentWeigher, occurrenceWeights } from './document-weights.ts';
import type { WordClass } from './query-units.ts';

/** Documents where a word says at most this of its information. */
export interface Strength {
  readonly docs: DocSet;
  readonly most: number;
}

export interface Strengths {
  /** The strongest first. */
  readonly strong: readonly Strength[];
  /** The most that the word says in any other document. */
  readonly otherMost: number;
}

/** Where the classes end, in parts of a word's information; above the last is one more. */
const ENDS = [1, 1.35, 1.75] as const;

/**
 * Average lengths count as the nearest of so many steps a doubling, so that they seldom change when
 * documents do.
 */
const AVERAGE_STEPS = 16;

/** How the occurrences of words count while average lengths stay about what they are. */
interface Scale {
  /** By global field and code of length. */
  readonly weights: readonly Float64Array[];
  /** All that the weights depend on. */
  readonly name: string;
  /** What occurrences can count more than by `weights`. */
  readonly slack: number;
}

const scales = new WeakMap<IndexSnapshot, Scale>();

function scaleOf(snapshot: IndexSnapshot): Scale {
  let scale = scales.get(snapshot);
  if (!scale) {
    const lengths = fieldLengths(snapshot);
    const averages = snapshot.fields.paths.map((_, field) => lengths.average(field));
    const steps = averages.map((average) => Math.round(Math.log2(average) * AVERAGE_STEPS));
    const stepped = steps.map((step) => 2 ** (step / AVERAGE_STEPS));
    scale = {
      weights: occurrenceWeights(snapshot, (field) => stepped[field]!),
      name: `${steps.join()} ${snapshot.fields.weights.join()}`,
      slack: averages.reduce((most, average, i) => Math.max(most, average / stepped[i]!), 1),
    };
    scales.set(snapshot, scale);
  }
  return scale;
}

/** Whether all that the words of a class say is said by their occurrences in all fields. */
const isCountable = (
  { words, ranges, phrases, scope }: WordClass,
  { everywhere }: IndexSnapshot,
): boolean => words.length > 0 && ranges === null && phrases.length === 0 && scope === everywhere;

/** Of the words of a class; null when they are not made of occurrences alone, or there is no time. */
export function strengthsOf(
  snapshot: IndexSnapshot,
  own: WordClass,
  deadline: Deadline,
): Strengths | null {
  if (!isCountable(own, snapshot) || deadline.exceeded) return null;
  const { weights, name, slack } = scaleOf(snapshot);
  const words = JSON.stringify([textsOf(own.words), textsOf(own.relatives)]);
  const kept = snapshot.kept.getOrMake(KEPT.documentsByStrength, { scale: name, words }, (part) =>
    dealByStrength(snapshot, part, own, weights),
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

/** What occurrences say by document, while the documents of a word are dealt. */
const said = new DocumentNumbers();

/** The documents of a part of the snapshot that are above the first class, by class. */
function dealByStrength(
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
