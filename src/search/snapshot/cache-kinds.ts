/**
 * Kinds of cached results: a table with one entry per kind that states the lifetime, the key and
 * the size of a result.
 */

import type { DocSet } from '../sets/doc-set.ts';
import {
  type Change,
  patchedBits,
  patchedCosts,
  patchedDocuments,
  patchedMatches,
} from './cache-patching.ts';
import type {
  CachedValue,
  CostSet,
  DateTimes,
  ExactnessMatches,
  FacetVocabulary,
  MergedValues,
  ScannedCosts,
  SimilarTerms,
  ValueTree,
} from './cached-values.ts';
import type { NodeContent } from './derivations.ts';
import { costSetWords, docSetWords, scannedCostsWords, type ValueWords } from './value-words.ts';

/**
 * Lifetime of a result. `generation`: the result points into the segments of a generation.
 * `content`: it consists of DocIds and field numbers and states facts about each document
 * independently of other documents; a merge leaves it valid, a commit requires patching for touched
 * documents. `file`: it is derived from one file of the index, which never changes and is part of
 * the key.
 */
export type Lifetime = 'generation' | 'content' | 'file';

export interface ResultKind<Key, Value extends CachedValue> {
  /** Unique among the kinds of one lifetime. */
  readonly name: string;
  readonly lifetime: Lifetime;
  readonly keyOf: (key: Key) => string;
  /** Approximate memory of the value in bytes, without its key. */
  readonly bytesOf: (value: Value) => number;
  /** Converts the value to its cached form, which must not use pooled arrays. */
  readonly packed?: (value: Value) => Value;
  /**
   * Patches an earlier result: removes the touched documents and adds the result for them and their
   * neighbours in newer segments. Only for the lifetime `content`.
   */
  readonly patch?: (earlier: Value, found: Value, change: Change) => Value;
  /**
   * Set if all threads share the results. Key and value must then mean the same in every thread:
   * no field numbers, no ordinals of terms.
   */
  readonly words?: ValueWords<Value> | undefined;
}

const kind = <Key, Value extends CachedValue>(
  entry: ResultKind<Key, Value>,
): ResultKind<Key, Value> => entry;

const sameText = (key: string): string => key;

/**
 * Indexes with fewer bitset words (65,536 documents) cache all sets unpacked: unpacking takes a sixth
 * of a short search, and the sets are small.
 */
const PACKED_WORDS_MIN = 2048;

const packedDocuments = (docs: DocSet): DocSet =>
  docs.bitsetLength < PACKED_WORDS_MIN ? docs.owned : docs.packed;

/** A kind whose values are sets of documents. @param words see `ResultKind` */
const documents = <Key>(
  name: string,
  keyOf: (key: Key) => string,
  words?: ValueWords<DocSet>,
): ResultKind<Key, DocSet> => ({
  name,
  lifetime: 'content',
  keyOf,
  bytesOf: ({ bytes }) => bytes,
  packed: packedDocuments,
  patch: patchedDocuments,
  words,
});

/** A kind whose values are sets of documents by cost. */
const costs = <Key>(
  name: string,
  keyOf: (key: Key) => string,
  words?: ValueWords<readonly CostSet[]>,
): ResultKind<Key, readonly CostSet[]> => ({
  name,
  lifetime: 'content',
  keyOf,
  bytesOf: (sets) => sets.reduce((sum, { docs }) => sum + docs.bytes, 0),
  packed: (sets) => sets.map(({ cost, docs }) => ({ cost, docs: packedDocuments(docs) })),
  patch: patchedCosts,
  words,
});

const CONTENT_BYTES = 400;
const WORD_BYTES = 160;
const NUMBER_BYTES = 8;

export const CACHE_KINDS = {
  /** Documents with a word in any searchable field. Key: the word. */
  wordDocuments: documents<string>('word', sameText, docSetWords),

  /** Documents with two words near each other. Key: their distance and both. */
  pairDocuments: documents<string>('pair', sameText, docSetWords),

  /** Documents that match a phrase of more than two words. Key: the words. */
  phraseDocuments: documents<string>('phrase', sameText, docSetWords),

  /**
   * Documents that match a query node with the numbers of typos in a mask, in the fields of a
   * scope.
   */
  nodeDocuments: documents<{
    readonly scope: string;
    readonly typoMask: number;
    readonly node: string;
  }>('node', ({ scope, typoMask, node }) => `${scope} ${typoMask} ${node}`, docSetWords),

  /** Words that match a query node. Key: the words. */
  nodeContent: kind<string, NodeContent>({
    name: 'derivations',
    lifetime: 'generation',
    keyOf: sameText,
    bytesOf: ({ key, derivations: { oneTypo, twoTypos, synonyms, completions, chunks } }) =>
      CONTENT_BYTES +
      2 * (key?.length ?? 0) +
      WORD_BYTES *
        (oneTypo.length +
          twoTypos.length +
          synonyms.reduce((n, { slots }) => n + slots.length, 0)) +
      NUMBER_BYTES * (completions?.bounds.length ?? 0) +
      (chunks?.ordinals.reduce((n, own) => n + own.byteLength, 0) ?? 0),
  }),

  /** Terms of a segment that are similar to a text. */
  similarTerms: kind<
    {
      readonly fileId: string;
      readonly text: string;
      readonly budget: number;
      readonly isPrefix: boolean;
    },
    SimilarTerms
  >({
    name: 'similar',
    lifetime: 'file',
    keyOf: ({ fileId, text, budget, isPrefix }) =>
      `${fileId} ${budget}${isPrefix ? '*' : ''} ${text}`,
    bytesOf: ({ listed }) => NUMBER_BYTES * listed.length + 96,
  }),

  /** All documents that match a query node, by the cost that a ranking rule gives them. */
  documentsByCost: costs<{
    readonly costs: string;
    readonly exactOnly: boolean;
    readonly node: string;
  }>('cost', (key) => `${key.costs} ${key.exactOnly ? 'exact ' : ''}${key.node}`, costSetWords),

  /** Costs of some documents of a segment file. Key: the scan that found them, without the documents. */
  scannedCosts: kind<{ readonly fileId: string; readonly scan: string }, ScannedCosts>({
    name: 'scan',
    lifetime: 'file',
    words: scannedCostsWords,
    keyOf: ({ fileId, scan }) => `${fileId} ${scan}`,
    bytesOf: ({ ranks, costs }) => ranks.byteLength + costs.byteLength,
  }),

  /**
   * Documents where the score of words is above the score in most documents, by class; `scale`
   * names the weights.
   */
  documentsByStrength: costs<{ readonly scale: string; readonly words: string }>(
    'strength',
    ({ scale, words }) => `${scale} ${words}`,
  ),

  /** All documents that hold a word, by how exactly they match a query of that word alone. */
  exactnessMatches: kind<{ readonly start: number; readonly node: string }, ExactnessMatches>({
    name: 'exactness',
    lifetime: 'content',
    keyOf: ({ start, node }) => `${start} ${node}`,
    bytesOf: ({ exactMatch, matchesStart }) => exactMatch.bytes + matchesStart.bytes,
    packed: ({ exactMatch, matchesStart }) => ({
      exactMatch: packedDocuments(exactMatch),
      matchesStart: packedDocuments(matchesStart),
    }),
    patch: patchedMatches,
  }),

  /** Documents whose field has exactly this number of words, as bits. */
  documentsOfLength: kind<{ readonly wordCount: number; readonly field: number }, Uint32Array>({
    name: 'length',
    lifetime: 'content',
    keyOf: ({ wordCount, field }) => `${wordCount} ${field}`,
    bytesOf: ({ byteLength }) => byteLength,
    patch: patchedBits,
  }),

  /** Documents that match conditions of a filter. Key: the conditions as JSON. */
  conditionDocuments: documents<string>('filter', sameText, docSetWords),

  /** Documents that have a value of a field. */
  valueDocuments: documents<{ readonly path: string; readonly value: number | string }>(
    'value',
    ({ path, value }) => JSON.stringify([path, value]),
  ),

  mergedValues: kind<{ readonly kind: 'numbers' | 'strings'; readonly path: string }, MergedValues>(
    {
      name: 'values',
      lifetime: 'generation',
      keyOf: ({ kind, path }) => `${kind} ${path}`,
      bytesOf: ({ places }) => places.reduce((bytes, own) => bytes + own.byteLength, 64),
    },
  ),

  valueTree: kind<{ readonly kind: 'numbers' | 'strings'; readonly path: string }, ValueTree>({
    name: 'tree',
    lifetime: 'generation',
    keyOf: ({ kind, path }) => `${kind} ${path}`,
    bytesOf: ({ levels }) =>
      levels.reduce((sum, { starts, groupOf }) => sum + starts.byteLength + groupOf.byteLength, 64),
  }),

  /** In blocks: values larger than a quarter of the cache are refused. */
  dateTimes: kind<
    { readonly fileId: string; readonly path: string; readonly block: number },
    DateTimes
  >({
    name: 'dates',
    lifetime: 'file',
    keyOf: ({ fileId, path, block }) => `${fileId} ${block} ${path}`,
    bytesOf: ({ times }) => times.byteLength,
  }),

  /** `rules` names the options of normalisation, in addition to the values. */
  facetVocabulary: kind<
    { readonly fileId: string; readonly path: string; readonly rules: string },
    FacetVocabulary
  >({
    name: 'facet',
    lifetime: 'file',
    keyOf: ({ fileId, path, rules }) => `${fileId} ${path} ${rules}`,
    bytesOf: ({ text, starts, shared, ordinals }) =>
      text.byteLength + starts.byteLength + shared.byteLength + ordinals.byteLength,
  }),
} as const;
