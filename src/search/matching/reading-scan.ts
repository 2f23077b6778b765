/**
 * Costs of a reading in some documents: from the query cache, by a compiled scan of the documents'
 * words, or from posting lists where these are quicker to read. The terms are marked once for all
 * rules.
 */
import { NumbersHash } from '../../core/hash.ts';
import type { PairTerms, TermPair } from '../../engine/postings/pair-kernel.ts';
import type { ForwardIndex } from '../../engine/segment/forward-index.ts';
import { type ForwardScan, PLACES_MAX, STEPS_MAX } from '../../engine/segment/forward-scan.ts';
import { derivedTypoMask } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { livingRanks, type StepTerms, scanFor } from './document-scan.ts';
import { type ListedCosts, type ListedPair, listedCosts, listedPair } from './listed-pairs.ts';
import { type TermsOfClass, termsInMatches } from './node-terms.ts';
import { OccurrenceClass } from './occurrence-records.ts';
import { admittedClasses } from './position-table.ts';
import { listsAreLess, PAIR_LISTS, RECORD_LISTS } from './read-terms.ts';
import { areNeighbours, type Reading, type Step } from './readings.ts';
import { bothScanned, takeKnown } from './scanned-costs.ts';

/** Documents with fewer codes are scanned each time: a cache look-up is hardly quicker. */
const CACHED_CODES_MIN = 1 << 13;

/** A scan of documents of one segment, whose terms are marked. */
interface Scan {
  readonly name: 'pairs' | 'positions' | 'fields' | 'exact';
  /** Everything that the costs depend on in addition to the reading. */
  readonly tables: readonly Uint8Array[];
  /** @param marked with the terms of the reading */
  readonly run: (marked: ForwardScan, ranks: Uint32Array, out: Int32Array) => void;
}

/** Costs of documents, in their order, from posting lists. */
export type CostsByPositions = (docs: Uint32Array) => Int32Array;

/** Documents of segment `s`, by rank and by DocId, and how their costs are found. */
interface SegmentScan {
  readonly s: number;
  readonly ranks: Uint32Array;
  readonly docs: Uint32Array;
  readonly scan: Scan;
  /** null = no costs are found where posting lists are quicker to read. */
  readonly byPositions: CostsByPositions | null;
}

/** The scans of one search. */
export class ReadingScan {
  readonly #snapshot: IndexSnapshot;
  readonly #isPossible: boolean;
  /** Whether fields fit into the costs and the bits of a scan. */
  readonly #takesFields: boolean;
  #reading: Reading = [];
  /** By segment; null when the reading cannot be scanned. */
  #terms: readonly StepTerms[] | null = null;
  /** Bit `n`: the steps `n` and `n + 1` are a pair. */
  #pairs = 0;
  /** By the right step of the pair and the left one. */
  readonly #listed = new Map<Step, Map<Step, ListedPair>>();

  constructor(snapshot: IndexSnapshot) {
    const { segments, everywhere } = snapshot;
    this.#snapshot = snapshot;
    this.#isPossible =
      segments.every(({ forward }) => forward !== null) &&
      everywhere.every(({ outside }) => outside === 0);
    this.#takesFields = snapshot.fields.paths.length <= PLACES_MAX;
  }

  /**
   * The sum of the costs of the reading's pairs in each of the documents: 0 to `PAIR_COSTS` a pair. null when
   * a phrase and words stand for a step, or when a segment has no forward index.
   */
  pairCosts(reading: Reading, docs: Uint32Array, byPositions: CostsByPositions): Int32Array | null {
    return this.#costs(reading, docs, () => PAIR_SCAN, byPositions);
  }

  /**
   * The same from lists of frequent pairs. null if no list has a pair of the reading, or if reading the
   * lists takes longer than looking up `documentCount` documents.
   * @param docs all satisfy the reading
   */
  listedPairCosts(reading: Reading, docs: DocSet, documentCount: number): ListedCosts | null {
    const terms = this.#termsOf(reading);
    if (terms === null) return null;
    const pairs: (ListedPair | null)[] = [];
    for (let i = 1; i < reading.length; i++)
      if (areNeighbours(reading[i - 1]!, reading[i]!))
        pairs.push(this.#listedPair(reading, i, documentCount));
    return pairs.every((pair) => pair === null) ? null : listedCosts(pairs, docs);
  }

  /** Of the steps before `i` and at `i`. */
  #listedPair(reading: Reading, i: number, documentCount: number): ListedPair | null {
    const known = this.#listed.get(reading[i]!)?.get(reading[i - 1]!);
    if (known) return known;
    const pairs = this.#terms!.map((_, s) => this.#pairIn(s, reading, i));
    const sides = { left: pairs.map(({ left }) => left), right: pairs.map(({ right }) => right) };
    const pair = listedPair(this.#snapshot, sides, documentCount);
    // With more documents to look up, more may be read.
    if (pair === null || pair.unknown === this.#snapshot.live) return pair;
    const ofRight = this.#listed.get(reading[i]!) ?? new Map<Step, ListedPair>();
    this.#listed.set(reading[i]!, ofRight.set(reading[i - 1]!, pair));
    return pair;
  }

  /**
   * The sum over steps of the least cost of a word's place in each of the documents; null as above.
   * @param costsOf by bucket of positions
   */
  positionCosts(
    reading: Reading,
    docs: Uint32Array,
    costsOf: (step: Step) => Uint8Array,
    byPositions: CostsByPositions,
  ): Int32Array | null {
    const steps = reading.map(costsOf);
    const scan: Scan = {
      name: 'positions',
      tables: steps,
      run: (marked, ranks, out) => marked.placeCosts(ranks, { steps, byField: false }, out),
    };
    return this.#costs(reading, docs, () => scan, byPositions);
  }

  /** The same by field. @param costOf at most 254; of a step in a field */
  fieldCosts(
    reading: Reading,
    docs: Uint32Array,
    costOf: (step: Step, field: number) => number,
    byPositions: CostsByPositions,
  ): Int32Array | null {
    if (!this.#takesFields) return null;
    const scanOf = (s: number): Scan => {
      const { fieldMap } = this.#snapshot.everywhere[s]!;
      const { fields } = this.#snapshot.segments[s]!;
      const steps = reading.map((step) =>
        Uint8Array.from(fields, (_, local) => costOf(step, fieldMap[local]!)),
      );
      const run: Scan['run'] = (marked, ranks, out) =>
        marked.placeCosts(ranks, { steps, byField: true }, out);
      return { name: 'fields', tables: steps, run };
    };
    return this.#costs(reading, docs, scanOf, byPositions);
  }

  /**
   * The fields of each of the documents that have the exact words of all steps, as bits; 0 when the
   * word of a step stands nowhere in its bucket of positions. null as above, and when posting lists
   * are quicker to read than the words.
   */
  exactFields(reading: Reading, docs: Uint32Array, buckets: Uint8Array): Int32Array | null {
    if (!this.#takesFields) return null;
    const scan: Scan = {
      name: 'exact',
      tables: [buckets],
      run: (marked, ranks, out) => marked.exactFields(ranks, buckets, out),
    };
    return this.#costs(
      reading,
      docs,
      () => scan,
      null,
      (out, s) => globalFields(out, this.#snapshot.everywhere[s]!.fieldMap),
    );
  }

  /**
   * @param scanOf the scan of a segment
   * @param byPositions null = the result is null where posting lists are quicker to read
   * @param after changes the costs of a segment's documents
   */
  #costs(
    reading: Reading,
    docs: Uint32Array,
    scanOf: (s: number) => Scan,
    byPositions: CostsByPositions | null,
    after?: (costs: Int32Array, s: number) => void,
  ): Int32Array | null {
    const terms = this.#termsOf(reading);
    if (terms === null) return null;
    const out = new Int32Array(docs.length);
    for (let s = 0; s < terms.length; s++) {
      const { ranks, places } = livingRanks(this.#snapshot, s, docs);
      if (ranks.length === 0) continue;
      const isAll = ranks.length === docs.length;
      const costs = isAll ? out : new Int32Array(ranks.length);
      const own = isAll ? docs : numbersAt(docs, places);
      const wanted = { s, ranks, docs: own, scan: scanOf(s), byPositions };
      if (!this.#cachedCosts(wanted, costs)) return null;
      after?.(costs, s);
      if (!isAll) for (let i = 0; i < costs.length; i++) out[places[i]!] = costs[i]!;
    }
    return out;
  }

  /**
   * Costs from the query cache, computed for the documents that it lacks: the file of a segment never
   * changes.
   */
  #cachedCosts(wanted: SegmentScan, out: Int32Array): boolean {
    const { segments, queryCache } = this.#snapshot;
    const { s, ranks, docs, scan } = wanted;
    const { forward, id: fileId } = segments[s]!;
    const isWorthKeeping = (some: Uint32Array): boolean =>
      hasCodes(forward!, some, CACHED_CODES_MIN);
    if (!isWorthKeeping(ranks)) return this.#find(wanted, out);
    const key = { fileId, scan: this.#nameOf(s, scan) };
    const known = queryCache.get(CACHE_KINDS.scannedCosts, key, NO_PATCH);
    if (!known) {
      const find = this.#quickerReader(wanted);
      if (find === null) return false;
      queryCache.make(CACHE_KINDS.scannedCosts, key, () => {
        find(out);
        return { ranks, costs: out };
      });
      return true;
    }
    const unknown = takeKnown(known, ranks, out);
    if (unknown.length === 0) return true;
    const rest = {
      ...wanted,
      ranks: numbersAt(ranks, unknown),
      docs: numbersAt(docs, unknown),
    };
    const found = { ranks: rest.ranks, costs: new Int32Array(unknown.length) };
    if (!this.#find(rest, found.costs)) return false;
    for (let n = 0; n < unknown.length; n++) out[unknown[n]!] = found.costs[n]!;
    if (!isWorthKeeping(found.ranks)) return true;
    queryCache.replace(CACHE_KINDS.scannedCosts, key, bothScanned(known, found));
    return true;
  }

  /** False when the costs cannot be found. */
  #find(wanted: SegmentScan, out: Int32Array): boolean {
    const find = this.#quickerReader(wanted);
    find?.(out);
    return find !== null;
  }

  /** null when the costs cannot be found. */
  #quickerReader(wanted: SegmentScan): ((out: Int32Array) => void) | null {
    const { s, ranks, docs, scan, byPositions } = wanted;
    const segment = this.#snapshot.segments[s]!;
    const terms = this.#terms![s]!;
    const isOfPairs = scan === PAIR_SCAN;
    if (listsAreLess(segment, terms, docs, isOfPairs ? PAIR_LISTS : RECORD_LISTS)) {
      if (isOfPairs) return (out) => this.#readPairs(wanted, out);
      return byPositions && ((out) => out.set(byPositions(docs)));
    }
    const marked = scanFor(this.#snapshot, s, terms, this.#reading, this.#pairs);
    return marked && ((out) => scan.run(marked, ranks, out));
  }

  #readPairs({ s, docs, byPositions }: SegmentScan, out: Int32Array): void {
    const isRead = this.#snapshot.segments[s]!.postings.pairCosts(docs, this.#pairsIn(s), out);
    if (!isRead && byPositions !== null) out.set(byPositions(docs));
  }

  /** The pairs of the reading in a segment. */
  #pairsIn(s: number): TermPair[] {
    const reading = this.#reading;
    const pairs: TermPair[] = [];
    for (let i = 1; i < reading.length; i++)
      if (areNeighbours(reading[i - 1]!, reading[i]!)) pairs.push(this.#pairIn(s, reading, i));
    return pairs;
  }

  /** Of the steps before `i` and at `i`. */
  #pairIn(s: number, reading: Reading, i: number): TermPair {
    const { left, right } = OccurrenceClass;
    const steps = this.#terms![s]!;
    return {
      left: sideTerms(steps[i - 1]!, reading[i - 1]!, left),
      right: sideTerms(steps[i]!, reading[i]!, right),
    };
  }

  #nameOf(s: number, { name, tables }: Scan): string {
    const hash = new NumbersHash();
    hash.add(this.#pairs);
    this.#reading.forEach(({ typoMask, exactOnly }, i) => {
      const terms = this.#terms![s]![i]!;
      hash.add((typoMask << 1) | (exactOnly ? 1 : 0));
      hash.add(terms.length);
      for (const { lo, hi, recordClass } of terms) {
        hash.add(lo);
        hash.add(hi);
        hash.add(recordClass);
      }
    });
    for (const table of tables) hash.addAll(table);
    return `${name} ${hash.text}`;
  }

  /** By segment; null when the reading cannot be scanned. */
  #termsOf(reading: Reading): readonly StepTerms[] | null {
    const isSame =
      reading.length === this.#reading.length &&
      reading.every((step, i) => step === this.#reading[i]);
    if (isSame) return this.#terms;
    this.#reading = reading;
    this.#terms = null;
    if (!this.#isPossible || reading.length > STEPS_MAX) return null;
    const masks = reading.map(({ node, typoMask }) => typoMask & derivedTypoMask(node));
    const { segments } = this.#snapshot;
    const ofSteps = reading.map(({ node }, i) => termsInMatches(node, masks[i]!, segments.length));
    if (ofSteps.some((terms) => terms === null)) return null;
    this.#terms = segments.map((_, s) => ofSteps.map((terms) => terms![s]!));
    this.#pairs = 0;
    for (let i = 1; i < reading.length; i++)
      if (areNeighbours(reading[i - 1]!, reading[i]!)) this.#pairs |= 1 << (i - 1);
    return this.#terms;
  }
}

const PAIR_SCAN: Scan = {
  name: 'pairs',
  tables: [],
  run: (marked, ranks, out) => marked.pairCosts(ranks, out),
};

/** The costs are never patched: the segment is part of their key. */
const NO_PATCH = (): never => {
  throw new Error('costs of a scan belong to one segment');
};

function numbersAt(numbers: Uint32Array, places: ArrayLike<number>): Uint32Array {
  const found = new Uint32Array(places.length);
  for (let i = 0; i < found.length; i++) found[i] = numbers[places[i]!]!;
  return found;
}

/** Whether the documents have this many codes, or more, together. */
function hasCodes(
  { offsets }: Pick<ForwardIndex, 'offsets'>,
  ranks: Uint32Array,
  count: number,
): boolean {
  let left = count;
  for (let i = 0; i < ranks.length && left > 0; i++)
    left -= offsets[ranks[i]! + 1]! - offsets[ranks[i]!]!;
  return left <= 0;
}

/** Replaces field numbers of a segment by field numbers of the index; both are bits. */
function globalFields(fieldsOf: Int32Array, fieldMap: Int32Array): void {
  for (let i = 0; i < fieldsOf.length; i++) {
    let fields = 0;
    for (let rest = fieldsOf[i]!; rest !== 0; rest &= rest - 1)
      fields |= 1 << fieldMap[31 - Math.clz32(rest & -rest)]!;
    fieldsOf[i] = fields;
  }
}

/** @param side the use of an occurrence on this side of a pair */
const sideTerms = (terms: readonly TermsOfClass[], step: Step, side: number): PairTerms[] =>
  terms.map(({ lo, hi, recordClass }) => {
    const { reversed } = OccurrenceClass;
    const isAdmitted = admittedClasses(step, side | reversed)[recordClass] === 1;
    return {
      lo,
      hi,
      isNext: isAdmitted && (recordClass & side) !== 0,
      isReversed: isAdmitted && (recordClass & reversed) !== 0,
    };
  });
