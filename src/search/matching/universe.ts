/** The documents that a query can return, and the words that may be missing (relevance.md 3.2). */
import type { Deadline } from '../../core/deadline.ts';
import type { MatchingStrategy } from '../../model/search.ts';
import type { QueryGraph, QueryNode } from '../query/query-node.ts';
import type { ParsedQuery } from '../query/query-parser.ts';
import type { Vocabulary } from '../query/vocabulary.ts';
import { DocSet } from '../sets/doc-set.ts';
import { documentsByTerm } from './any-word.ts';
import type { MatchSets } from './match-sets.ts';
import { phraseOf } from './query-graph.ts';
import { ALL_TYPOS } from './readings.ts';

/**
 * Removal group of each node by number: the lowest is removed first, 0 never. A typed array,
 * because compiled code that once sees a fraction in a list treats all its numbers as fractions.
 */
export function removalGroups(
  query: QueryGraph,
  strategy: MatchingStrategy,
  sets: MatchSets,
): Int32Array {
  if (strategy === 'all' || strategy === 'any') return new Int32Array(query.nodes.length);
  const { nodes, termCount } = query;
  const weights = strategy === 'last' ? lastWeights(termCount) : frequencyWeights(query, sets);
  const groups = new Int32Array(nodes.length);
  let hasPhrase = false;
  let last = 0;
  for (let n = 0; n < groups.length; n++) {
    const node = nodes[n]!;
    if (node.kind === 'phrase') hasPhrase = true;
    else groups[n] = nodeWeight(node, weights);
    last = Math.max(last, groups[n]!);
  }
  if (!hasPhrase) for (let n = 0; n < groups.length; n++) if (groups[n] === last) groups[n] = 0;
  return groups;
}

function nodeWeight({ firstId, lastId }: QueryNode, weights: Int32Array): number {
  let weight = 0;
  for (let id = firstId; id <= lastId; id++) weight = Math.max(weight, weights[id]!);
  return weight;
}

function lastWeights(termCount: number): Int32Array {
  const weights = new Int32Array(termCount);
  for (let id = 0; id < termCount; id++) weights[id] = termCount - id;
  return weights;
}

/** Weight 1 for the term id with most documents; ids without documents are removed first. */
function frequencyWeights(query: QueryGraph, sets: MatchSets): Int32Array {
  const frequencies = documentsByTerm(query, sets).map(
    ({ count }) => count || Number.POSITIVE_INFINITY,
  );
  const distinct = [...new Set(frequencies)].sort((a, b) => b - a);
  return Int32Array.from(frequencies, (f) => distinct.indexOf(f) + 1);
}

/**
 * Documents that satisfy a reading without removable nodes; null = all documents. @param deadline
 * only a curb matters
 */
export function matchingDocuments(
  query: QueryGraph,
  groups: Int32Array,
  sets: MatchSets,
  deadline: Deadline,
): DocSet | null {
  const from = new Array<DocSet | null>(query.termCount + 1).fill(null);
  for (let id = query.termCount - 1; id >= 0; id--) {
    const starting = query.nodes.filter((node) => node.firstId === id);
    const found = starting.map((node) => {
      const rest = from[node.lastId + 1]!;
      if (groups[node.number] !== 0) return rest;
      deadline.check();
      const holding = sets.withAnyTypos(node, ALL_TYPOS);
      return rest === null ? holding : rest.retain(holding);
    });
    const parts = found.filter((docs) => docs !== null);
    from[id] = parts.length < found.length ? null : DocSet.unionOf(parts, sets.live.bitsetLength);
  }
  return from[0]!;
}

/** The documents of a set without an excluded word or phrase. */
export function allowedDocuments(
  filtered: DocSet,
  { negativeWords, negativePhrases }: ParsedQuery,
  vocabulary: Vocabulary,
  sets: MatchSets,
): DocSet {
  let docs = filtered;
  for (const text of negativeWords) {
    const word = vocabulary.find(text);
    if (word) docs = docs.without(sets.word(word));
  }
  for (const texts of negativePhrases) {
    const phrase = phraseOf(texts, vocabulary);
    if (phrase) docs = docs.without(sets.phrase(phrase));
  }
  return docs;
}
