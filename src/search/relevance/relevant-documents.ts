/**
 * Start here: the most relevant documents of a universe, exactly, without weighing every document
 * that has a frequent word (relevance.md 3.15).
 *
 * Words are taken one after the other, those that say most first. As long as what is left could lift
 * a new document among the best, all documents of a word get what it gives; from then on only those
 * that are still in question (a MaxScore evaluation, term at a time).
 */
import type { Deadline } from '../../core/deadline.ts';
import type { MatchSets } from '../matching/match-sets.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { Phrase } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { leastOfStep, SHARE, STEPS, stepOf } from './bm25f.ts';
import { DocumentNumbers, DocumentWeigher } from './document-weights.ts';
import { addNearness } from './near-words.ts';
import type { QueryPart, QueryUnit, UnitPair, WeighedQuery, WordClass } from './query-units.ts';

/** Documents of one step of relevance. */
export interface RelevanceStep {
  readonly step: number;
  readonly docs: DocSet;
}

export interface RelevantDocuments {
  /** The most relevant first. */
  readonly steps: readonly RelevanceStep[];
  /** Whether no other document of the universe has any relevance. */
  readonly isComplete: boolean;
}

/** Above what numbers of 32 bits lose by being added. */
const ROUNDING = 1e-5;

/** What the documents of the thread's search have so far, and what a word gives them. */
const total = new DocumentNumbers();
const gained = new DocumentNumbers();

/**
 * At least the `wanted` most relevant documents, with all that are as relevant as the last of them.
 * null when the deadline came first.
 */
export function relevantDocuments(
  snapshot: IndexSnapshot,
  sets: MatchSets,
  query: WeighedQuery,
  universe: DocSet,
  wanted: number,
  deadline: Deadline,
): RelevantDocuments | null {
  total.prepare(snapshot.bitsetLength * 32);
  gained.prepare(snapshot.bitsetLength * 32);
  try {
    return new Evaluation(snapshot, sets, query, universe, wanted).run(deadline);
  } finally {
    total.clear();
    gained.clear();
  }
}

/** Bits of a list of documents; the list before is cleared. */
class ListedBits {
  bits: Uint32Array = new Uint32Array(0);
  #docs: Uint32Array = new Uint32Array(0);
  #count = 0;

  /** @param bitsetLength in words */
  set(docs: Uint32Array, count: number, bitsetLength: number): Uint32Array {
    for (let i = 0; i < this.#count; i++) this.bits[this.#docs[i]! >>> 5] = 0;
    if (this.bits.length < bitsetLength) this.bits = new Uint32Array(bitsetLength);
    for (let i = 0; i < count; i++) this.bits[docs[i]! >>> 5]! |= 1 << (docs[i]! & 31);
    this.#docs = docs;
    this.#count = count;
    return this.bits;
  }
}

const fewBits = new ListedBits();
const pairBits = new ListedBits();

/** What documents can still gain. */
interface Bounds {
  /** Those that have some relevance. */
  readonly gainMost: number;
  /** Those that have none so far: only words to come, and pairs of these. */
  readonly newMost: number;
}

/** Before each part, and after the last. */
function boundsFrom(parts: readonly QueryPart[]): Bounds[] {
  const bounds: Bounds[] = [{ gainMost: 0, newMost: 0 }];
  const later = new Set<QueryUnit>();
  for (const { unit, pairs } of [...parts].reverse()) {
    const { gainMost, newMost } = bounds[0]!;
    later.add(unit);
    const near = sumOfMost(pairs);
    const within = parts.flatMap((part) =>
      part.pairs.filter(
        ({ left, right }) =>
          (left === unit && later.has(right)) || (right === unit && later.has(left)),
      ),
    );
    bounds.unshift({
      gainMost: gainMost + unit.most + near,
      newMost: newMost + unit.most + sumOfMost(within),
    });
  }
  return bounds;
}

const sumOfMost = (pairs: readonly UnitPair[]): number =>
  pairs.reduce((sum, { most }) => sum + most, 0);

class Evaluation {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #query: WeighedQuery;
  readonly #universe: DocSet;
  readonly #wanted: number;
  readonly #weigher: DocumentWeigher;
  /** Documents in question: at first the universe. */
  #candidates: Uint32Array;
  /** The same as a list, once they are fewer than have some relevance. */
  #few: Uint32Array | null = null;

  constructor(
    snapshot: IndexSnapshot,
    sets: MatchSets,
    query: WeighedQuery,
    universe: DocSet,
    wanted: number,
  ) {
    this.#snapshot = snapshot;
    this.#sets = sets;
    this.#query = query;
    this.#universe = universe;
    this.#wanted = wanted;
    this.#weigher = new DocumentWeigher(snapshot);
    this.#candidates = universe.toBits();
  }

  run(deadline: Deadline): RelevantDocuments | null {
    const { parts } = this.#query;
    const bounds = boundsFrom(parts);
    for (let i = 0; i < parts.length; i++) {
      if (deadline.exceeded) return null;
      const { unit, pairs } = parts[i]!;
      this.#narrow(bounds[i]!);
      this.#gainOfUnit(unit);
      let gainMost = bounds[i]!.gainMost - unit.most;
      for (const pair of pairs) {
        this.#narrow({ ...bounds[i + 1]!, gainMost });
        this.#gainOfPair(pair);
        gainMost -= pair.most;
      }
    }
    return this.#steps();
  }

  #gainOfUnit({ classes }: QueryUnit): void {
    const [only, ...others] = classes;
    const isWord = only && others.length === 0 && !only.ranges && only.phrases.length === 0;
    if (isWord && only.words.length === 1 && only.relatives.length === 0) {
      this.#weigher.add(only.words[0]!, only.scope, only.weight, this.#candidates, total);
      return;
    }
    for (const each of classes) this.#gainOf(each);
    total.take(gained);
  }

  #gainOfPair(pair: UnitPair): void {
    const [a, b] = [pair.left.having, pair.right.having];
    const both =
      this.#few?.filter((doc) => a.has(doc) && b.has(doc)) ??
      this.#universe.retain(a).retain(b).toList();
    if (both.length === 0) return;
    const bits = pairBits.set(both, both.length, this.#snapshot.bitsetLength);
    addNearness(this.#snapshot, pair, bits, total);
  }

  /**
   * Leaves the documents that may be among the best, given the most that any can still gain, when
   * no document without relevance so far can.
   */
  #narrow({ gainMost, newMost }: Bounds): void {
    const few = this.#few;
    const count = few?.length ?? total.count;
    if (count <= this.#wanted || (few === null && newMost >= total.greatest)) return;
    const docs = few ?? total.docs;
    const least = this.#leastOfBest(docs, count) - ROUNDING * this.#query.most;
    if (few === null && newMost >= least) return;
    const { values } = total;
    const kept = new Uint32Array(count);
    let n = 0;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      kept[n] = doc;
      n += values[doc]! + gainMost >= least ? 1 : 0;
    }
    if (few !== null && n === count) return;
    this.#few = kept.slice(0, n);
    this.#candidates = fewBits.set(this.#few, n, this.#snapshot.bitsetLength);
  }

  /** A bound of what the last of the wanted documents has: the beginning of its step. */
  #leastOfBest(docs: Uint32Array, count: number): number {
    const { most } = this.#query;
    const { values } = total;
    const counts = new Uint32Array(STEPS + 1);
    for (let i = 0; i < count; i++) counts[stepOf(values[docs[i]!]!, most)]!++;
    let step = STEPS;
    for (let above = counts[step]!; above < this.#wanted; ) above += counts[--step]!;
    return leastOfStep(step, most);
  }

  /** Raises the documents in question to what a class of words gives them. */
  #gainOf({ weight, words, relatives, ranges, except, phrases, scope }: WordClass): void {
    const candidates = this.#candidates;
    if (relatives.length > 0) {
      for (const word of words) this.#weigher.sum(word, scope, 1, candidates, gained);
      for (const word of relatives)
        this.#weigher.sum(word, scope, SHARE.relative, candidates, gained);
      gained.saturate(weight);
    } else for (const word of words) this.#weigher.raiseTo(word, scope, weight, candidates, gained);
    ranges?.bounds.forEach((lo, i) => {
      if ((i & 1) === 1) return;
      const s = i >>> 1;
      const own = except?.ordinals[s] ?? -1;
      for (let term = lo; term < ranges.bounds[i + 1]!; term++)
        if (term !== own) this.#weigher.raiseToTerm(s, term, scope, weight, candidates, gained);
    });
    for (const phrase of phrases) this.#gainOfPhrase(phrase, weight);
  }

  #gainOfPhrase(phrase: Phrase, weight: number): void {
    const { present } = this.#sets.scopes;
    const first = phrase.slots.find((word) => word !== null)!;
    if (phrase.slots.length === 1)
      this.#weigher.raiseTo(first, present, weight, this.#candidates, gained);
    else {
      const holding = this.#sets.phrase(phrase).intersect(this.#candidates).toBits();
      this.#weigher.raiseToOne(first, present, weight, holding, gained);
    }
  }

  /** The documents in question by step, as far as all of a step are known. */
  #steps(): RelevantDocuments {
    const { most } = this.#query;
    const { values } = total;
    const few = this.#few;
    const docs = few ?? total.docs.subarray(0, total.count);
    const isComplete = few === null;
    const starts = new Uint32Array(STEPS + 2);
    for (let i = 0; i < docs.length; i++) starts[STEPS - stepOf(values[docs[i]!]!, most) + 1]!++;
    let end = STEPS + 1;
    for (let at = 1; at <= STEPS + 1; at++) {
      starts[at]! += starts[at - 1]!;
      if (!isComplete && end > STEPS && starts[at]! >= this.#wanted) end = at;
    }
    const next = starts.slice();
    const dealt = new Uint32Array(docs.length);
    for (let i = 0; i < docs.length; i++)
      dealt[next[STEPS - stepOf(values[docs[i]!]!, most)]!++] = docs[i]!;
    const steps: RelevanceStep[] = [];
    const { bitsetLength } = this.#snapshot;
    for (let at = 0; at < end; at++) {
      const [lo, hi] = [starts[at]!, starts[at + 1]!];
      if (lo < hi)
        steps.push({
          step: STEPS - at,
          docs: DocSet.fromList(dealt.slice(lo, hi).sort(), bitsetLength),
        });
    }
    return { steps, isComplete };
  }
}
