/** The documents a query can return, and which of its words may be missing (relevance.md 3.2). */
import { andInto, countBits, orInto } from '../engine/sets/bitset.ts';
import type { MatchingStrategy } from '../model/search.ts';
import { DocSet } from './doc-set.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import type { MatchSets } from './match-sets.ts';
import { phraseOf } from './query-graph.ts';
import type { QueryGraph, QueryNode } from './query-node.ts';
import type { ParsedQuery } from './query-parser.ts';
import { ALL_LEVELS } from './readings.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Removal group of each node by number: the lowest goes first, 0 never goes. */
export function removalGroups(query: QueryGraph, strategy: MatchingStrategy, sets: MatchSets): number[] {
  if (strategy === 'all') return query.nodes.map(() => 0);
  const weights = strategy === 'last' ? lastWeights(query.termCount) : frequencyWeights(query, sets);
  const groups = query.nodes.map((node) => (node.kind === 'phrase' ? 0 : nodeWeight(node, weights)));
  if (query.nodes.some((node) => node.kind === 'phrase')) return groups;
  const last = Math.max(...groups);
  return groups.map((group) => (group === last ? 0 : group));
}

const nodeWeight = ({ firstId, lastId }: QueryNode, weights: readonly number[]): number =>
  Math.max(...weights.slice(firstId, lastId + 1));

const lastWeights = (termCount: number): number[] => Array.from({ length: termCount }, (_, id) => termCount - id);

/** Weight 1 for the id that most documents match; an id that matches nothing goes first. */
function frequencyWeights({ nodes, termCount }: QueryGraph, sets: MatchSets): number[] {
  const frequencies = Array.from({ length: termCount }, (_, id) => {
    const bits = sets.newBits();
    for (const node of nodes) if (node.firstId <= id && id <= node.lastId) orInto(bits, sets.union(node, ALL_LEVELS));
    return countBits(bits) || Number.POSITIVE_INFINITY;
  });
  const distinct = [...new Set(frequencies)].sort((a, b) => b - a);
  return frequencies.map((f) => distinct.indexOf(f) + 1);
}

/** Documents satisfying a reading from which every removable node is gone. */
export function matchingDocuments(query: QueryGraph, groups: readonly number[], sets: MatchSets): Uint32Array {
  const all = sets.liveBits();
  const from: Uint32Array[] = new Array(query.termCount + 1);
  from[query.termCount] = all;
  for (let id = query.termCount - 1; id >= 0; id--) {
    const bits = sets.newBits();
    for (const node of query.nodes) {
      if (node.firstId !== id) continue;
      const rest = from[node.lastId + 1]!;
      orInto(bits, groups[node.number] === 0 ? andInto(rest.slice(), sets.union(node, ALL_LEVELS)) : rest);
    }
    from[id] = bits;
  }
  return from[0]!;
}

/** Live documents, or those of them that a filter selects, without those that hold an excluded word or phrase. */
export function allowedDocuments(
  snapshot: IndexSnapshot,
  filtered: Uint32Array | null,
  { negativeWords, negativePhrases }: ParsedQuery,
  vocabulary: Vocabulary,
  sets: MatchSets,
): DocSet {
  let docs = filtered === null ? snapshot.live : DocSet.fromBits(filtered);
  for (const text of negativeWords) {
    const word = vocabulary.find(text);
    if (word) docs = docs.subtract(sets.word(word));
  }
  for (const texts of negativePhrases) {
    const phrase = phraseOf(texts, vocabulary);
    if (phrase) docs = docs.subtract(sets.phrase(phrase));
  }
  return docs;
}
