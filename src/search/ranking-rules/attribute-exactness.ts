/** First level of exactness: attributes that equal the query, then attributes that start with it, then the rest (3.12). */
import { hasBit } from '../../engine/sets/bitset.ts';
import { DocSet } from '../doc-set.ts';
import { withoutDead } from '../match-sets.ts';
import { OccurrenceClass } from '../occurrence-records.ts';
import { PositionTable } from '../position-table.ts';
import type { QueryNode } from '../query-node.ts';
import type { ReadingGraph, Step } from '../readings.ts';
import type { Word } from '../vocabulary.ts';
import {
  type Bucket,
  type BucketSource,
  type MatchType,
  positionsOf,
  type RankDetail,
  type RankingContext,
  type RankingRule,
  type RuleInput,
} from './ranking-rule.ts';
import { bucketedPosition } from './word-position.ts';

const RANKS: Record<MatchType, number> = { exactMatch: 3, matchesStart: 2, noExactMatch: 1 };
const ORDER: readonly MatchType[] = ['exactMatch', 'matchesStart', 'noExactMatch'];

/** Longest attribute, in words, whose length is recorded. */
const COUNTED_WORDS_MAX = 30;

/** A word of the query and where an attribute that equals the query has it. */
interface PlacedWord {
  readonly word: Word;
  readonly position: number;
  /** The query's own node, null for a word of a phrase. */
  readonly node: QueryNode | null;
}

export const attributeExactness: RankingRule = {
  start: (context, input) => new ExactnessBuckets(context, input),
};

class ExactnessBuckets implements BucketSource {
  readonly #input: RuleInput;
  readonly #matches: Partial<Record<MatchType, DocSet>>;
  #at = 0;

  constructor(context: RankingContext, input: RuleInput) {
    this.#input = input;
    this.#matches = matchDocuments(context, input);
  }

  next(universe: DocSet): Bucket | null {
    while (this.#at < ORDER.length) {
      const matchType = ORDER[this.#at++]!;
      const docs = matchType === 'noExactMatch' ? universe : this.#matches[matchType]?.retain(universe);
      if (!docs || docs.isEmpty) continue;
      return {
        docs,
        graph: this.#input.graph,
        detail: attributeExactnessDetail(matchType),
        positions: this.#input.positions,
      };
    }
    return null;
  }
}

export const attributeExactnessDetail = (matchType: MatchType): RankDetail => ({
  rule: 'attributeExactness',
  rank: RANKS[matchType],
  max: RANKS.exactMatch,
  matchType,
});

/** Exact terms of the received readings, the first of each term id; null when they leave a hole at the start or inside. */
function exactTerms(graph: ReadingGraph): QueryNode[] | null {
  const byId = new Map<number, QueryNode>();
  const visit = (nodes: ReadingGraph): void => {
    for (const { step, next } of nodes) {
      if (hasExactTerm(step) && !byId.has(step.node.firstId)) byId.set(step.node.firstId, step.node);
      visit(next);
    }
  };
  visit(graph);
  const terms = [...byId.values()].sort((a, b) => a.firstId - b.firstId);
  return terms.length > 0 && terms.every((term, i) => term.firstId === i) ? terms : null;
}

function hasExactTerm({ node, levels }: Step): boolean {
  if (node.kind === 'phrase') return node.derivations.phrase !== null;
  return node.kind === 'word' && node.derivations.exact !== null && (levels & 1) === 1;
}

function placedWords(terms: readonly QueryNode[]): PlacedWord[] {
  return terms.flatMap((node): PlacedWord[] => {
    const { exact, phrase } = node.derivations;
    if (!phrase) return [{ word: exact!, position: node.start, node }];
    return phrase.slots.flatMap((word, slot) => (word ? [{ word, position: node.start + slot, node: null }] : []));
  });
}

function matchDocuments(context: RankingContext, input: RuleInput): Partial<Record<MatchType, DocSet>> {
  const terms = exactTerms(input.graph);
  if (!terms) return {};
  const words = placedWords(terms);
  let docs = input.universe;
  for (const word of new Set(words.map((w) => w.word))) {
    docs = docs.intersect(context.sets.word(word));
    if (docs.isEmpty) return {};
  }
  const queryLength = terms.reduce((n, { start, end }) => n + end - start + 1, 0);
  return sortByMatch(context, positionsOf(context, input), docs, words, queryLength);
}

/** Fields are kept as masks of 32, `lanes` of them a document. */
function sortByMatch(
  { snapshot, presentFields }: RankingContext,
  table: PositionTable,
  universe: DocSet,
  words: readonly PlacedWord[],
  queryLength: number,
): Partial<Record<MatchType, DocSet>> {
  const docs = universe.toList();
  const slots = table.slotsOf(docs);
  const lanes = (snapshot.fields.paths.length + 31) >>> 5;
  const common = new Uint32Array(docs.length * lanes).fill(0xffffffff);
  const placed = new Uint8Array(docs.length).fill(1);
  for (const word of words) keepFields(word, table, { docs, slots }, presentFields, lanes, common, placed);
  const starts: number[] = [];
  for (let i = 0; i < docs.length; i++) if (placed[i] === 1 && hasField(common, i, lanes)) starts.push(i);
  const exact = exactOnes(snapshot, docs, starts, queryLength, common, lanes);
  const startDocs = DocSet.fromList(
    Uint32Array.from(starts, (i) => docs[i]!),
    universe.words,
  );
  const exactDocs = DocSet.fromList(exact, universe.words);
  return { exactMatch: exactDocs, matchesStart: startDocs.without(exactDocs) };
}

function hasField(common: Uint32Array, i: number, lanes: number): boolean {
  for (let lane = i * lanes; lane < (i + 1) * lanes; lane++) if (common[lane] !== 0) return true;
  return false;
}

/** Narrows each document's common fields to those that hold the word, and notes where it is not at its place. */
function keepFields(
  { word, position, node }: PlacedWord,
  table: PositionTable,
  { docs, slots }: { readonly docs: Uint32Array; readonly slots: Uint32Array },
  presentFields: Uint8Array,
  lanes: number,
  common: Uint32Array,
  placed: Uint8Array,
): void {
  const positions = node ? table.of({ node, levels: 1, exactOnly: true }) : table.ofWord(word);
  const rows = PositionTable.rowsOf(positions, docs, slots);
  const { offsets, keys, classes } = positions;
  const wanted = bucketedPosition(position);
  const fields = new Uint32Array(lanes);
  for (let i = 0; i < docs.length; i++) {
    fields.fill(0);
    let isHere = 0;
    for (let r = offsets[rows[i]!]!; r < offsets[rows[i]! + 1]!; r++) {
      if ((classes[r]! & OccurrenceClass.exact) === 0) continue;
      const key = keys[r]!;
      if (presentFields[key >>> 16] === 1) fields[key >>> 21]! |= 1 << ((key >>> 16) & 31);
      if (isHere === 0 && bucketedPosition(key & 0xffff) === wanted) isHere = 1;
    }
    for (let lane = 0; lane < lanes; lane++) common[i * lanes + lane]! &= fields[lane]!;
    placed[i]! &= isHere;
  }
}

/** Those of `docs[members[i]]` one of whose common fields holds exactly `wordCount` words. */
function exactOnes(
  snapshot: RankingContext['snapshot'],
  docs: Uint32Array,
  members: readonly number[],
  wordCount: number,
  common: Uint32Array,
  lanes: number,
): Uint32Array {
  if (wordCount > COUNTED_WORDS_MAX || members.length === 0) return new Uint32Array(0);
  const exact = new Uint8Array(docs.length);
  snapshot.segments.forEach((segment, s) => {
    const { fieldMap } = snapshot.everywhere[s]!;
    for (let local = 0; local < fieldMap.length; local++) {
      const field = fieldMap[local]!;
      if (field < 0) continue;
      const found = new Uint32Array(snapshot.words);
      segment.addDocumentsWithWordCount(local, wordCount, found);
      const alive = withoutDead(found, snapshot.dead[s]!);
      for (const i of members) {
        const isCommon = (common[i * lanes + (field >>> 5)]! >>> (field & 31)) & 1;
        if (isCommon === 1 && hasBit(alive, docs[i]!)) exact[i] = 1;
      }
    }
  });
  return docs.filter((_, i) => exact[i] === 1);
}
