/**
 * First level of exactness: attributes that equal the query, then attributes that start with it,
 * then other documents (3.12).
 */
import {
  fieldOfOccurrence,
  positionOfOccurrence,
} from '../../../engine/postings/occurrence-key.ts';
import { andNotInto, hasBit, orInto } from '../../../engine/sets/bitset.ts';
import { type NodePositions, OccurrenceClass } from '../../matching/occurrence-records.ts';
import { PositionTable } from '../../matching/position-table.ts';
import { onlyReading, type ReadingGraph, type Step } from '../../matching/readings.ts';
import type { QueryNode } from '../../query/query-node.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../../sets/typed-array-pool.ts';
import { CACHE_KINDS } from '../../snapshot/cache-kinds.ts';
import type { ExactnessMatches } from '../../snapshot/cached-values.ts';
import type { Word } from '../../snapshot/derivations.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import { wordWithin } from '../../snapshot/segment-subset.ts';
import { paysForAll } from './cached-costs.ts';
import { digestedMatches } from './digested-matches.ts';
import { ListedBuckets } from './listed-buckets.ts';
import {
  type MatchType,
  positionsOf,
  type RankingContext,
  type RankingRule,
  type RuleInput,
} from './ranking-rule.ts';
import { bucketedPosition, bucketNumber } from './word-position.ts';

const RANKS: Record<MatchType, number> = { exactMatch: 3, matchesStart: 2, noExactMatch: 1 };
const MATCHES = ['exactMatch', 'matchesStart'] as const;

/** Longest attribute, in words, whose length is recorded. */
const COUNTED_WORDS_MAX = 30;

/** A word of the query and its position in an attribute that equals the query. */
interface PlacedWord {
  readonly word: Word;
  readonly position: number;
  /**
   * The query's own node, whose records may have been read; null for a word of a phrase, or in all
   * documents.
   */
  readonly node: QueryNode | null;
}

export const attributeExactness: RankingRule = {
  start(context, input) {
    const { universe, graph, positions } = input;
    const matches = matchDocuments(context, input);
    const found =
      matches &&
      MATCHES.map((matchType) => ({
        matchType,
        docs: () => universe.retain(matches[matchType]),
      }));
    const others = { matchType: 'noExactMatch', docs: (left: DocSet) => left } as const;
    return new ListedBuckets(universe, [...(found ?? []), others], ({ matchType }, docs) => ({
      docs,
      graph,
      detail: {
        rule: 'attributeExactness',
        rank: RANKS[matchType],
        max: RANKS.exactMatch,
        matchType,
      },
      positions,
    }));
  },
};

/**
 * Exact terms of the received readings, the first of each term id; null if they leave a gap at the
 * start or inside.
 */
function exactTerms(graph: ReadingGraph): QueryNode[] | null {
  const byId = new Map<number, QueryNode>();
  const visit = (nodes: ReadingGraph): void => {
    for (const { step, next } of nodes) {
      if (hasExactTerm(step) && !byId.has(step.node.firstId))
        byId.set(step.node.firstId, step.node);
      visit(next);
    }
  };
  visit(graph);
  const terms = [...byId.values()].sort((a, b) => a.firstId - b.firstId);
  return terms.length > 0 && terms.every((term, i) => term.firstId === i) ? terms : null;
}

function hasExactTerm({ node, typoMask }: Step): boolean {
  if (node.kind === 'phrase') return node.derivations.phrase !== null;
  return node.kind === 'word' && node.derivations.exact !== null && (typoMask & 1) === 1;
}

function placedWords(terms: readonly QueryNode[]): PlacedWord[] {
  const placed: PlacedWord[] = [];
  for (const node of terms) {
    const { exact, phrase } = node.derivations;
    if (!phrase) placed.push({ word: exact!, position: node.start, node });
    else
      for (const [slot, word] of phrase.slots.entries())
        if (word) placed.push({ word, position: node.start + slot, node: null });
  }
  return placed;
}

/** null = no document matches. */
function matchDocuments(context: RankingContext, input: RuleInput): ExactnessMatches | null {
  const terms = exactTerms(input.graph);
  if (!terms) return null;
  const words = placedWords(terms);
  let docs = input.universe;
  for (const { word } of words) {
    docs = docs.retain(context.sets.word(word));
    if (docs.isEmpty) return null;
  }
  const queryLength = terms.reduce((n, { start, end }) => n + end - start + 1, 0);
  const cached = cachedMatches(context, docs, terms);
  if (cached !== null) return cached;
  const scanned = scanFields(context, input, words, docs);
  return sortByMatch(context.snapshot, docs, queryLength, (survivors) => {
    if (scanned !== null) keepScanned(scanned, context.presentFields, survivors);
    else keepPlaced(words, positionsOf(context, input), survivors, context.presentFields);
  });
}

/** Fields of each document that hold all words, if the words are the steps of the only reading. */
function scanFields(
  { readingScan, sets }: RankingContext,
  { graph, positions }: RuleInput,
  words: readonly PlacedWord[],
  docs: DocSet,
): Int32Array | null {
  const reading = positions === null && sets.anywhere === null ? onlyReading(graph) : null;
  if (reading === null || reading.length !== words.length) return null;
  if (words.some(({ node }, i) => node !== reading[i]!.node)) return null;
  const buckets = new Uint8Array(words.length);
  for (let i = 0; i < buckets.length; i++) buckets[i] = bucketNumber(words[i]!.position);
  return readingScan.exactFields(reading, docs.toList(), buckets);
}

/**
 * Matches among all live documents, for a query of one word: from the query cache or added to it;
 * else null.
 */
function cachedMatches(
  context: RankingContext,
  docs: DocSet,
  [node, ...others]: readonly QueryNode[],
): ExactnessMatches | null {
  const { exact: word } = node!.derivations;
  const { snapshot, sets } = context;
  if (others.length > 0 || node!.key === null || word === null || sets.anywhere !== null)
    return null;
  const key = { start: node!.start, node: node!.key };
  const find = (part: IndexSnapshot): ExactnessMatches => {
    const own = wordWithin(word, snapshot, part);
    const { presentFields } = context;
    const ready = digestedMatches(part, own, node!.start);
    const rest = sets.within(part).word(own).without(ready.docs);
    if (rest.isEmpty) return ready;
    const table = new PositionTable(part, sets.within(part), rest);
    const placed = { word: own, position: node!.start, node: null };
    const read = sortByMatch(part, rest, 1, (survivors) =>
      keepPlaced([placed], table, survivors, presentFields),
    );
    return {
      exactMatch: DocSet.unionOf([ready.exactMatch, read.exactMatch], part.bitsetLength),
      matchesStart: DocSet.unionOf([ready.matchesStart, read.matchesStart], part.bitsetLength),
    };
  };
  const known = snapshot.queryCache.get(CACHE_KINDS.exactnessMatches, key, find);
  if (known) return known;
  if (!paysForAll(docs, sets.word(word))) return null;
  return snapshot.queryCache.make(CACHE_KINDS.exactnessMatches, key, () => find(snapshot));
}

const exactStep = (node: QueryNode): Step => ({ node, typoMask: 1, exactOnly: true });

/**
 * Documents that may still match, with the fields common to all words so far: `lanes` masks of 32
 * bits per document.
 */
interface Survivors {
  readonly docs: Uint32Array;
  readonly common: Uint32Array;
  readonly lanes: number;
  /** Length of the bitsets. */
  readonly bitsetLength: number;
  count: number;
}

function sortByMatch(
  snapshot: IndexSnapshot,
  universe: DocSet,
  queryLength: number,
  keep: (survivors: Survivors) => void,
): ExactnessMatches {
  const docs = TYPED_ARRAY_POOL.copyOf(universe.toList());
  const lanes = (snapshot.fields.paths.length + 31) >>> 5;
  const survivors = {
    docs,
    common: TYPED_ARRAY_POOL.numbers(docs.length * lanes).fill(0xffffffff),
    lanes,
    bitsetLength: universe.bitsetLength,
    count: docs.length,
  };
  keep(survivors);
  const starts = TYPED_ARRAY_POOL.copyOf(docs, 0, survivors.count);
  const exactDocs = DocSet.fromList(
    exactOnes(snapshot, starts, queryLength, survivors),
    universe.bitsetLength,
  );
  return {
    exactMatch: exactDocs,
    matchesStart: DocSet.fromList(starts, universe.bitsetLength).without(exactDocs),
  };
}

/** Keeps the documents with common fields. @param fields of each document, as bits */
function keepScanned(fields: Int32Array, presentFields: Uint8Array, survivors: Survivors): void {
  const { docs, common, lanes } = survivors;
  const present = presentFields.reduce((bits, isPresent, field) => bits | (isPresent << field), 0);
  let kept = 0;
  for (let i = 0; i < fields.length; i++) {
    if ((fields[i]! & present) === 0) continue;
    common[kept * lanes] = fields[i]! & present;
    docs[kept++] = docs[i]!;
  }
  survivors.count = kept;
}

/** Keeps the documents that have each word at its position, all in a common field. */
function keepPlaced(
  words: readonly PlacedWord[],
  table: PositionTable,
  survivors: Survivors,
  presentFields: Uint8Array,
): void {
  for (const word of words) keepWord(word, table, survivors, presentFields);
}

/**
 * Keeps the documents that have the word at its position and in a field common to the previous
 * words, and narrows the common fields.
 */
function keepWord(
  { word, position, node }: PlacedWord,
  table: PositionTable,
  survivors: Survivors,
  presentFields: Uint8Array,
): void {
  const { docs, common, lanes, count, bitsetLength } = survivors;
  const positions =
    (node && table.read(exactStep(node))) ??
    table.ofWord(word, DocSet.fromList(TYPED_ARRAY_POOL.copyOf(docs, 0, count), bitsetLength));
  const wanted = bucketedPosition(position);
  const fields = new Uint32Array(lanes);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i]!;
    const row = table.slotOf(doc);
    if (!isPlacedAt(positions, row, wanted, presentFields, fields)) continue;
    if (narrow(common, i, kept, fields)) docs[kept++] = doc;
  }
  survivors.count = kept;
}

/**
 * True if an exact occurrence is at the required position; sets the bits of its fields in `fields`.
 */
function isPlacedAt(
  { offsets, keys, classes }: NodePositions,
  row: number,
  wanted: number,
  presentFields: Uint8Array,
  fields: Uint32Array,
): boolean {
  const end = offsets[row + 1]!;
  let isPlaced = false;
  fields.fill(0);
  for (let r = offsets[row]!; r < end; r++) {
    if ((classes[r]! & OccurrenceClass.exact) === 0) continue;
    const field = fieldOfOccurrence(keys[r]!);
    fields[field >>> 5]! |= presentFields[field]! << (field & 31);
    isPlaced ||= bucketedPosition(positionOfOccurrence(keys[r]!)) === wanted;
  }
  return isPlaced;
}

/**
 * Writes the intersection of `fields` and the common fields of `from` to `to`; returns whether it
 * is non-empty.
 */
function narrow(common: Uint32Array, from: number, to: number, fields: Uint32Array): boolean {
  const lanes = fields.length;
  let shared = 0;
  for (let lane = 0; lane < lanes; lane++) {
    const narrowed = common[from * lanes + lane]! & fields[lane]!;
    common[to * lanes + lane] = narrowed;
    shared |= narrowed;
  }
  return shared !== 0;
}

/** The documents of `docs` with a common field of exactly `wordCount` words. */
function exactOnes(
  snapshot: RankingContext['snapshot'],
  docs: Uint32Array,
  wordCount: number,
  { common, lanes }: Survivors,
): Uint32Array {
  if (wordCount > COUNTED_WORDS_MAX || docs.length === 0) return new Uint32Array(0);
  const somewhere = new Uint32Array(lanes);
  for (let i = 0; i < docs.length; i++)
    for (let lane = 0; lane < lanes; lane++) somewhere[lane]! |= common[i * lanes + lane]!;
  const isExact = new Uint8Array(docs.length);
  for (let field = 0; field < snapshot.fields.paths.length; field++) {
    const lane = field >>> 5;
    if (((somewhere[lane]! >>> (field & 31)) & 1) === 0) continue;
    const counted = withWordCount(snapshot, field, wordCount);
    for (let i = 0; i < docs.length; i++) {
      if ((common[i * lanes + lane]! >>> (field & 31)) & 1 && hasBit(counted, docs[i]!))
        isExact[i] = 1;
    }
  }
  return docs.filter((_, i) => isExact[i] === 1);
}

/** Live documents whose field has exactly `wordCount` words; in the query cache. */
const withWordCount = (
  snapshot: RankingContext['snapshot'],
  field: number,
  wordCount: number,
): Uint32Array =>
  snapshot.queryCache.getOrMake(CACHE_KINDS.documentsOfLength, { wordCount, field }, (part) =>
    findWithWordCount(part, field, wordCount),
  );

function findWithWordCount(
  { segments, dead, fields, bitsetLength }: RankingContext['snapshot'],
  field: number,
  wordCount: number,
): Uint32Array {
  const bits = new Uint32Array(bitsetLength);
  segments.forEach((segment, s) => {
    const local = segment.fields.indexOf(fields.paths[field]!);
    if (local < 0) return;
    const own = new Uint32Array(bitsetLength);
    segment.wordCounts.addDocuments(local, wordCount, own);
    orInto(bits, dead[s] ? andNotInto(own, dead[s]) : own);
  });
  return bits;
}
