/** The hot loops of relevance: sum the weights of occurrences into one number per document. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';
import { fieldOfOccurrence } from '../../engine/postings/occurrence-key.ts';
import { LENGTH_CODES, lengthOfCode } from '../../engine/segment/word-counts.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { Word } from '../snapshot/derivations.ts';
import {
  codeOf,
  type FieldLengths,
  fieldLengths,
  type LengthCodes,
} from '../snapshot/field-lengths.ts';
import type { FieldScope } from '../snapshot/field-scope.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { attributeWeight, occurrenceWeight, saturated } from './bm25f.ts';
import type { WordPlaces } from './word-places.ts';

/** One number per document, mostly 0; `docs` lists the documents with another number. */
export class DocumentNumbers {
  values = new Float32Array(0);
  docs = new Uint32Array(1024);
  count = 0;
  /** Upper bound of all numbers. */
  greatest = 0;

  /** Allocates for DocIds below `docIds`; all numbers are 0 before and after use. */
  prepare(docIds: number): void {
    if (this.values.length < docIds) this.values = new Float32Array(docIds);
  }

  /** Allocates for `more` documents. */
  reserve(more: number): void {
    if (this.count + more <= this.docs.length) return;
    const docs = new Uint32Array(Math.max(this.count + more, 2 * this.docs.length));
    docs.set(this.docs.subarray(0, this.count));
    this.docs = docs;
  }

  clear(): void {
    const { values, docs, count } = this;
    for (let i = 0; i < count; i++) values[docs[i]!] = 0;
    this.count = 0;
    this.greatest = 0;
  }

  /** Adds `share` times the weights of the occurrences. */
  addShare({ docs: added, weights: weighed, count: more }: WeighedDocuments, share: number): void {
    this.reserve(more);
    const { values, docs } = this;
    for (let i = 0; i < more; i++) {
      const doc = added[i]!;
      if (values[doc] === 0) docs[this.count++] = doc;
      values[doc]! += share * weighed[i]!;
    }
  }

  /** Replaces sums of occurrence weights by saturated scores. */
  saturate(weight: number): void {
    const { values, docs, count } = this;
    for (let i = 0; i < count; i++) values[docs[i]!] = weight * saturated(values[docs[i]!]!);
  }

  /** Documents whose number is above `low` and at most `high`, in scratch memory. */
  between(low: number, high: number): Uint32Array {
    const { values, docs, count } = this;
    const found = SCRATCH.list.atLeast(count);
    let n = 0;
    for (let i = 0; i < count; i++) {
      const own = values[docs[i]!]!;
      found[n] = docs[i]!;
      n += own > low && own <= high ? 1 : 0;
    }
    return found.subarray(0, n);
  }

  /** Adds to the number of a document that already has one. */
  raiseBy(doc: number, more: number): void {
    this.values[doc]! += more;
    if (this.values[doc]! > this.greatest) this.greatest = this.values[doc]!;
  }

  /** Adds the numbers of `other` and clears `other`. */
  take(other: DocumentNumbers): void {
    this.reserve(other.count);
    const { values, docs } = this;
    let { count, greatest } = this;
    for (let i = 0; i < other.count; i++) {
      const doc = other.docs[i]!;
      const before = values[doc]!;
      if (before === 0) docs[count++] = doc;
      const sum = before + other.values[doc]!;
      values[doc] = sum;
      if (sum > greatest) greatest = sum;
      other.values[doc] = 0;
    }
    this.count = count;
    this.greatest = greatest;
    other.count = 0;
  }
}

/** Weight of one occurrence, by global field and code of the field's length. */
export function occurrenceWeights(
  { fields: { weights: places, attributeCount, isUserDefined, paths } }: IndexSnapshot,
  averageOf: (field: number) => number,
): Float64Array[] {
  return paths.map((_, field) => {
    const count = isUserDefined ? attributeCount : 1;
    const weight = attributeWeight(Math.max(places[field]!, 0), count);
    const average = averageOf(field);
    return Float64Array.from({ length: LENGTH_CODES }, (__, code) =>
      occurrenceWeight(weight, code === 0 ? average : lengthOfCode(code), average),
    );
  });
}

const known = new WeakMap<IndexSnapshot, readonly Float64Array[]>();

function ownWeights(snapshot: IndexSnapshot): readonly Float64Array[] {
  return getOrCompute(known, snapshot, () =>
    occurrenceWeights(snapshot, (field) => fieldLengths(snapshot).average(field)),
  );
}

/** The documents to weigh. */
export interface Among {
  readonly bits: Uint32Array;
  /** The same documents, ascending; null when there are many. */
  readonly listed: Uint32Array | null;
  /** Records the positions read; null if they are not needed. */
  readonly places: WordPlaces | null;
}

/** Weights of the occurrences of a word, for each document that has some. */
interface WeighedDocuments {
  readonly docs: Uint32Array;
  readonly weights: Float64Array;
  readonly count: number;
}

let weights = new Float64Array(1024);

export class DocumentWeigher {
  readonly #snapshot: IndexSnapshot;
  readonly #lengths: FieldLengths;
  readonly #tables: readonly Float64Array[];

  /**
   * @param tables weights of occurrences; by default based on the average lengths of the snapshot
   */
  constructor(snapshot: IndexSnapshot, tables = ownWeights(snapshot)) {
    this.#snapshot = snapshot;
    this.#lengths = fieldLengths(snapshot);
    this.#tables = tables;
  }

  /** Raises candidates to the score of a word: `weight` times its saturated occurrences. */
  raiseTo(
    word: Word,
    scope: FieldScope,
    weight: number,
    among: Among,
    into: DocumentNumbers,
  ): void {
    eachTerm(word, (s, term) => this.raiseToTerm(s, term, scope, weight, among, into));
  }

  /** `raiseTo` for a word of one segment. */
  raiseToTerm(
    s: number,
    term: number,
    scope: FieldScope,
    weight: number,
    among: Among,
    into: DocumentNumbers,
  ): void {
    raise(into, this.#sumsOf(s, this.#read(s, term, scope, among)), weight);
  }

  /** Raises to the score of one occurrence of the word in its field with the highest weight. */
  raiseToOne(
    word: Word,
    scope: FieldScope,
    weight: number,
    among: Among,
    into: DocumentNumbers,
  ): void {
    eachTerm(word, (s, term) =>
      raise(into, this.#eachOf(s, this.#read(s, term, scope, among)), weight),
    );
  }

  /**
   * Adds `share` times the weights of a word's occurrences; `saturate` converts the sum to a score.
   */
  sum(word: Word, scope: FieldScope, share: number, among: Among, into: DocumentNumbers): void {
    eachTerm(word, (s, term) =>
      into.addShare(this.#sumsOf(s, this.#read(s, term, scope, among)), share),
    );
  }

  #read(
    s: number,
    term: number,
    scope: FieldScope,
    { bits, listed, places }: Among,
  ): OccurrenceBuffer {
    const { occurrences } = SCRATCH;
    occurrences.length = 0;
    this.#snapshot.segments[s]!.postings.readOccurrences(
      term,
      bits,
      scope[s]!.fieldMap,
      occurrences,
      listed,
    );
    places?.add(occurrences, this.#snapshot.dead[s]!);
    return occurrences;
  }

  /**
   * The sum of the occurrence weights of each document; occurrences of a document are adjacent.
   * Overwrites the documents of the buffer.
   */
  #sumsOf(s: number, occurrences: OccurrenceBuffer): WeighedDocuments {
    const { docs, count } = this.#eachOf(s, occurrences);
    let n = 0;
    for (let i = 0; i < count; ) {
      const doc = docs[i]!;
      let sum = weights[i++]!;
      for (; i < count && docs[i] === doc; i++) sum += weights[i]!;
      docs[n] = doc;
      weights[n++] = sum;
    }
    return { docs, weights, count: n };
  }

  /** The weight of each occurrence in a live document. */
  #eachOf(s: number, { docs, keys, length }: OccurrenceBuffer): WeighedDocuments {
    if (weights.length < length) weights = new Float64Array(2 * length);
    const dead = this.#snapshot.dead[s]!;
    let n = 0;
    let field = -1;
    let table = this.#tables[0]!;
    let codes: LengthCodes | null = null;
    for (let i = 0; i < length; i++) {
      const doc = docs[i]!;
      const own = fieldOfOccurrence(keys[i]!);
      if (own !== field) {
        field = own;
        table = this.#tables[field]!;
        codes = this.#lengths.codes(s, field);
      }
      docs[n] = doc;
      weights[n] = table[codes === null ? 0 : codeOf(codes, doc)]!;
      n += dead !== null && hasBit(dead, doc) ? 0 : 1;
    }
    return { docs, weights, count: n };
  }
}

/** Calls `visit` with each segment that has the word, and the word's ordinal there. */
function eachTerm({ ordinals }: Word, visit: (s: number, term: number) => void): void {
  for (let s = 0; s < ordinals.length; s++) if (ordinals[s]! >= 0) visit(s, ordinals[s]!);
}

function raise(
  into: DocumentNumbers,
  { docs, weights: weighed, count }: WeighedDocuments,
  weight: number,
): void {
  into.reserve(count);
  const { values, docs: listed } = into;
  let listedCount = into.count;
  for (let i = 0; i < count; i++) {
    const doc = docs[i]!;
    const said = weight * saturated(weighed[i]!);
    const before = values[doc]!;
    if (before === 0) listed[listedCount++] = doc;
    if (said > before) values[doc] = said;
  }
  into.count = listedCount;
}
