/**
 * Documents by the value of a field: numbers, then strings, then the rest, in either direction (relevance.md 3.10).
 * Values are walked in order, some at a time, so that the first buckets of a large universe cost little.
 */
import { compareCodePoints } from '../../core/compare-text.ts';
import type { SortDirection } from '../../model/sort-criterion.ts';
import { DocSet } from '../doc-set.ts';
import { FieldValues } from '../field-values.ts';
import type { IndexSnapshot } from '../index-snapshot.ts';
import { unionOf } from '../readings.ts';
import type { Bucket, BucketSource, RankDetail, RankingRule, RuleInput } from './ranking-rule.ts';

/** Universes up to this size have all their values looked up at once. */
const SMALL_UNIVERSE = 2048;
/** Documents that the first step of a walk reads values of; each later step may read twice as many as the one before. */
const FIRST_STEP_DOCUMENTS = 512;

type Kind = 'numbers' | 'strings';

/** A document's value: where it stands in its segment's column, and the value to compare across segments. */
interface Keyed {
  readonly doc: number;
  readonly value: number | string;
}

export function fieldSort(
  path: string,
  direction: SortDirection,
  detailOf: (value: number | string | null) => RankDetail,
): RankingRule {
  return { start: ({ snapshot }, input) => new FieldSortBuckets(snapshot, input, path, direction, detailOf) };
}

class FieldSortBuckets implements BucketSource {
  readonly #input: RuleInput;
  readonly #direction: SortDirection;
  readonly #detailOf: (value: number | string | null) => RankDetail;
  readonly #walks: ValueWalk[];
  /** Documents found, best first, not yet dealt. */
  #queue: Keyed[] = [];
  #isDone = false;

  constructor(
    snapshot: IndexSnapshot,
    input: RuleInput,
    path: string,
    direction: SortDirection,
    detailOf: (value: number | string | null) => RankDetail,
  ) {
    this.#input = input;
    this.#direction = direction;
    this.#detailOf = detailOf;
    const values = new FieldValues(snapshot, path);
    this.#walks = [new ValueWalk(values, 'numbers', direction), new ValueWalk(values, 'strings', direction)];
  }

  next(universe: DocSet): Bucket | null {
    if (this.#isDone || universe.isEmpty) return null;
    this.#queue = this.#queue.filter(({ doc }) => universe.has(doc));
    while (this.#queue.length === 0 && this.#walks.length > 0) {
      const found = this.#walks[0]!.step(universe);
      if ('docs' in found) {
        if (!found.docs.isEmpty) return this.#bucket(found.docs, found.value);
      } else this.#queue = found.sort(this.#order);
      if (this.#queue.length === 0 && this.#walks[0]!.isDone) this.#walks.shift();
    }
    if (this.#queue.length === 0) {
      this.#isDone = true;
      return this.#bucket(universe, null);
    }
    return this.#takeEqual(universe.words);
  }

  #takeEqual(words: number): Bucket {
    const { value } = this.#queue[0]!;
    let count = 1;
    while (count < this.#queue.length && this.#queue[count]!.value === value) count++;
    const docs = Uint32Array.from(this.#queue.splice(0, count), ({ doc }) => doc).sort();
    return this.#bucket(DocSet.fromList(docs, words), value);
  }

  #bucket(docs: DocSet, value: number | string | null): Bucket {
    return { docs, graph: this.#input.graph, detail: this.#detailOf(value), positions: this.#input.positions };
  }

  readonly #order = (a: Keyed, b: Keyed): number => {
    const ascending = compareValues(a.value, b.value);
    return this.#direction === 'asc' ? ascending : -ascending;
  };
}

function compareValues(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareCodePoints(String(a), String(b));
}

/** All documents of one value, which need not be told apart. */
interface OneValue {
  readonly value: number | string;
  readonly docs: DocSet;
}

/** Walks the numbers or the strings of a field from one end, over all segments at once. */
class ValueWalk {
  readonly #values: FieldValues;
  readonly #kind: Kind;
  readonly #isAscending: boolean;
  /** Next ordinal to take in each part, counted from the end the walk begins at. */
  readonly #taken: number[];
  #stepDocuments = FIRST_STEP_DOCUMENTS;

  constructor(values: FieldValues, kind: Kind, direction: SortDirection) {
    this.#values = values;
    this.#kind = kind;
    this.#isAscending = direction === 'asc';
    this.#taken = values.parts.map(() => 0);
  }

  get isDone(): boolean {
    return this.#values.parts.every(({ column }, p) => this.#taken[p]! >= column[this.#kind].count);
  }

  /** Documents of the universe that have their best value among the next values; empty when there are none there. */
  step(universe: DocSet): Keyed[] | OneValue {
    if (universe.count <= SMALL_UNIVERSE) return this.#all(universe);
    const bound = this.#nextBound();
    this.#stepDocuments *= 2;
    const ranges = this.#values.parts.map((_, p) => this.#takeUpTo(p, bound));
    const isOneValue =
      bound !== null && ranges.every(([lo, hi], p) => lo === hi || (hi - lo === 1 && this.#valueAt(p, lo) === bound));
    const parts = ranges.map(([lo, hi], p) => this.#documents(p, lo, hi, universe));
    if (isOneValue)
      return {
        value: bound,
        docs: unionOf(
          parts.filter((docs) => !docs.isEmpty),
          universe.words,
        ),
      };
    const found: Keyed[] = [];
    parts.forEach((docs, p) => {
      this.#collect(p, docs, found);
    });
    return found;
  }

  /** Ordinals of the part up to and with `bound`, all that are left when it is null. */
  #takeUpTo(p: number, bound: number | string | null): [number, number] {
    const { count } = this.#values.parts[p]!.column[this.#kind];
    const from = this.#taken[p]!;
    const to = Math.max(from, bound === null ? count : this.#countUpTo(p, bound));
    this.#taken[p] = to;
    return this.#isAscending ? [from, to] : [count - to, count - from];
  }

  #documents(p: number, lo: number, hi: number, universe: DocSet): DocSet {
    if (lo === hi) return DocSet.empty(universe.words);
    const { column, dead } = this.#values.parts[p]!;
    const bits = new Uint32Array(universe.words);
    column[this.#kind].addDocuments(lo, hi, bits);
    const docs = universe.intersect(bits);
    return dead === null ? docs : docs.subtract(dead);
  }

  #all(universe: DocSet): Keyed[] {
    const found: Keyed[] = [];
    this.#values.parts.forEach(({ column, dead }, p) => {
      if (this.#taken[p]! < column[this.#kind].count)
        this.#collect(p, dead === null ? universe : universe.subtract(dead), found);
      this.#taken[p] = column[this.#kind].count;
    });
    return found;
  }

  #collect(p: number, docs: DocSet, found: Keyed[]): void {
    const values = this.#values.parts[p]!.column[this.#kind];
    const list = docs.toList();
    for (let i = 0; i < list.length; i++) {
      const doc = list[i]!;
      const ordinal = this.#isAscending ? values.leastOf(doc) : values.greatestOf(doc);
      if (ordinal >= 0) found.push({ doc, value: this.#valueAt(p, ordinal) });
    }
  }

  /** Ordinal of the value that is number `place` from the end the walk begins at. */
  #ordinalAt(p: number, place: number): number {
    return this.#isAscending ? place : this.#values.parts[p]!.column[this.#kind].count - 1 - place;
  }

  #valueAt(p: number, ordinal: number): number | string {
    const { numbers, strings } = this.#values.parts[p]!.column;
    return this.#kind === 'numbers' ? numbers.valueAt(ordinal) : strings.textAt(ordinal);
  }

  /** The value that ends this step: the nearest of the parts' next steps, so that no part runs ahead; null = the end. */
  #nextBound(): number | string | null {
    let bound: number | string | null = null;
    this.#values.parts.forEach(({ column }, p) => {
      const values = column[this.#kind];
      let at = this.#taken[p]!;
      let documents = 0;
      while (at < values.count && documents < this.#stepDocuments)
        documents += values.documentFrequency(this.#ordinalAt(p, at++));
      if (at === this.#taken[p]! || (at === values.count && documents < this.#stepDocuments)) return;
      const value = this.#valueAt(p, this.#ordinalAt(p, at - 1));
      const isNearer = bound === null || compareValues(value, bound) < 0 === this.#isAscending;
      if (isNearer) bound = value;
    });
    return bound;
  }

  /** Number of values of the part from the walk's end up to and with `bound`. */
  #countUpTo(p: number, bound: number | string): number {
    const { numbers, strings } = this.#values.parts[p]!.column;
    if (this.#kind === 'numbers') {
      const lower = numbers.lowerBound(bound as number);
      const hasBound = lower < numbers.count && numbers.valueAt(lower) === bound;
      return this.#isAscending ? lower + (hasBound ? 1 : 0) : numbers.count - lower;
    }
    const utf8 = new TextEncoder().encode(bound as string);
    const lower = strings.lowerBound(utf8);
    const hasBound = strings.find(utf8) >= 0;
    return this.#isAscending ? lower + (hasBound ? 1 : 0) : strings.count - lower;
  }
}
