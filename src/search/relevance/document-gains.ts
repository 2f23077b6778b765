/** Scores that query words and pairs of them give to documents, summed in arrays of the thread. */
import { setBit } from '../../engine/sets/bitset.ts';
import type { MatchSets } from '../matching/match-sets.ts';
import type { Phrase } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { SHARE } from './bm25f.ts';
import { type Among, DocumentNumbers, DocumentWeigher } from './document-weights.ts';
import { addNearness } from './near-words.ts';
import type { QueryUnit, UnitPair, WeighedQuery, WordClass } from './query-units.ts';
import { WordPlaces } from './word-places.ts';

/** Current scores of the documents, and the scores of the current word. */
const total = new DocumentNumbers();
const gained = new DocumentNumbers();

/** Pool of the thread, in use by the current search. */
const lentPlaces: WordPlaces[] = [];

/** Documents as a list and as bits. The bits of the previous list are cleared. */
class ListedBits {
  #bits: Uint32Array = new Uint32Array(0);
  #listed: Uint32Array = new Uint32Array(0);

  /**
   * @param listed ascending
   * @param bitsetLength in words
   * @param places receives the positions that are read, if any
   */
  set(listed: Uint32Array, bitsetLength: number, places: WordPlaces | null = null): Among {
    for (let i = 0; i < this.#listed.length; i++) this.#bits[this.#listed[i]! >>> 5] = 0;
    if (this.#bits.length < bitsetLength) this.#bits = new Uint32Array(bitsetLength);
    for (let i = 0; i < listed.length; i++) setBit(this.#bits, listed[i]!);
    this.#listed = listed;
    return { bits: this.#bits, listed, places };
  }
}

const listedBits = new ListedBits();

/** One instance at a time per thread; call `clear` at the end. */
export class DocumentGains {
  /** Sum of all added scores. */
  readonly total = total;
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #weigher: DocumentWeigher;
  /** Positions of words that are in pairs and match as typed. */
  readonly #places: ReadonlyMap<QueryUnit, WordPlaces>;

  constructor(snapshot: IndexSnapshot, sets: MatchSets, { parts }: WeighedQuery) {
    this.#snapshot = snapshot;
    this.#sets = sets;
    this.#weigher = new DocumentWeigher(snapshot);
    const pairs = parts.flatMap((part) => part.pairs);
    const sides = new Set(pairs.flatMap(({ left, right }) => [left, right]));
    const units = [...sides].filter(({ isMetAsTyped }) => isMetAsTyped);
    while (lentPlaces.length < units.length) lentPlaces.push(new WordPlaces());
    this.#places = new Map(units.map((unit, i) => [unit, lentPlaces[i]!]));
    total.prepare(snapshot.bitsetLength * 32);
    gained.prepare(snapshot.bitsetLength * 32);
  }

  clear(): void {
    total.clear();
    gained.clear();
    for (const places of lentPlaces) places.clear();
  }

  /**
   * Adds the score of a word to the documents that hold it, by match kind. Records the positions of
   * the word if pairs need them.
   */
  addUnit(unit: QueryUnit, holding: readonly Uint32Array[]): void {
    const places = this.#placesOf(unit);
    for (const [way, { classes }] of unit.holders.entries()) {
      const docs = holding[way]!;
      if (docs.length === 0) continue;
      const among = listedBits.set(docs, this.#snapshot.bitsetLength, way === 0 ? places : null);
      for (const each of classes) this.#raiseTo(each, among);
    }
    total.take(gained);
  }

  /** @param both documents with a word of each side, ascending, whose positions are recorded */
  addPair({ left, right, most }: UnitPair, both: Uint32Array): void {
    const places = this.#places.get(left);
    const others = this.#places.get(right);
    if (places && others && both.length > 0) addNearness(both, places, others, most, total);
  }

  /** Recorded positions of a word for its pairs; null when it is in none. */
  #placesOf(unit: QueryUnit): WordPlaces | null {
    const places = this.#places.get(unit) ?? null;
    places?.clear();
    return places;
  }

  /** Raises the gain of documents to the score of a class of words. */
  #raiseTo(
    { weight, words, relatives, ranges, except, phrases, scope }: WordClass,
    among: Among,
  ): void {
    if (relatives.length > 0) {
      for (const word of words) this.#weigher.sum(word, scope, 1, among, gained);
      for (const word of relatives) this.#weigher.sum(word, scope, SHARE.relative, among, gained);
      gained.saturate(weight);
    } else for (const word of words) this.#weigher.raiseTo(word, scope, weight, among, gained);
    ranges?.bounds.forEach((lo, i) => {
      if ((i & 1) === 1) return;
      const s = i >>> 1;
      const own = except?.ordinals[s] ?? -1;
      for (let term = lo; term < ranges.bounds[i + 1]!; term++)
        if (term !== own) this.#weigher.raiseToTerm(s, term, scope, weight, among, gained);
    });
    for (const phrase of phrases) this.#raiseToPhrase(phrase, weight, among);
  }

  #raiseToPhrase(phrase: Phrase, weight: number, among: Among): void {
    const { present } = this.#sets.scopes;
    const first = phrase.slots.find((word) => word !== null)!;
    if (phrase.slots.length === 1) {
      const unnoted = { bits: among.bits, listed: among.listed, places: null };
      this.#weigher.raiseTo(first, present, weight, unnoted, gained);
    } else {
      const bits = this.#sets.phrase(phrase).intersect(among.bits).toBits();
      const holding = { bits, listed: null, places: null };
      this.#weigher.raiseToOne(first, present, weight, holding, gained);
    }
  }
}
