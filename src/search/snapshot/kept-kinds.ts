/**
 * What searches keep for later ones: a table with one entry a kind, which says how long a result
 * holds, what its key is made of and what it weighs.
 */

import type { DocSet } from '../sets/doc-set.ts';
import type { NodeContent, WordRanges } from './derivations.ts';
import type {
  CostSet,
  ExactnessMatches,
  FacetVocabulary,
  KeptValue,
  MergedValues,
  NodePositions,
  SimilarTerms,
  ValueTree,
} from './kept-values.ts';
import {
  type Change,
  renewBits,
  renewCosts,
  renewDocuments,
  renewMatches,
  renewPositions,
} from './renewal.ts';

/**
 * How long a result holds. `generation`: it points into the segments of a generation. `content`: it
 * is made of DocIds and field numbers alone and says of each document what holds for it by itself,
 * so that a merge leaves it valid and a commit calls for a look at what was touched. `file`: it is
 * made of one file of the index, which never changes and which the key names.
 */
export type Lifetime = 'generation' | 'content' | 'file';

export interface ResultKind<Key, Value extends KeptValue> {
  /** Tells the kinds of one lifetime apart. */
  readonly name: string;
  readonly lifetime: Lifetime;
  readonly keyOf: (key: Key) => string;
  /** Roughly the memory that the value holds. */
  readonly bytesOf: (value: Value, key: Key) => number;
  /** More is not kept. */
  readonly bytesMax?: number;
  /** The value in the form in which it is kept: nothing of it is lent to the search alone. */
  readonly packed?: (value: Value) => Value;
  /**
   * What an earlier result has become: without the touched documents, but for what was found about
   * them and their neighbours in segments since. Only of what holds for a content.
   */
  readonly renew?: (earlier: Value, found: Value, change: Change) => Value;
}

const kind = <Key, Value extends KeptValue>(
  entry: ResultKind<Key, Value>,
): ResultKind<Key, Value> => entry;

const contentKind = <Key, Value extends KeptValue>(
  entry: Omit<Required<ResultKind<Key, Value>>, 'lifetime' | 'bytesMax' | 'packed'> &
    Pick<ResultKind<Key, Value>, 'bytesMax' | 'packed'>,
): ResultKind<Key, Value> => ({ ...entry, lifetime: 'content' });

const bytesOfDocuments = ({ bytes }: DocSet): number => bytes;
const sameText = (key: string): string => key;

/**
 * Indexes of fewer documents keep all their sets as they are: unpacking them takes a sixth of a
 * short search, and they are small.
 */
const PACKED_WORDS_MIN = 8192;

const packedDocuments = (docs: DocSet): DocSet =>
  docs.bitsetLength < PACKED_WORDS_MIN ? docs.owned : docs.packed;

/** How documents by cost are kept. */
const costSets = {
  bytesOf: (sets: readonly CostSet[]): number =>
    sets.reduce((sum, { docs }) => sum + docs.bytes, 0),
  packed: (sets: readonly CostSet[]): readonly CostSet[] =>
    sets.map(({ cost, docs }) => ({ cost, docs: packedDocuments(docs) })),
  renew: renewCosts,
};

const CONTENT_BYTES = 512;
const WORD_BYTES = 128;

/**
 * More would push out much else, and what rules make of the positions takes a tenth and is kept by
 * itself.
 */
export const NODE_POSITIONS_BYTES_MAX = 1 << 20;

export const KEPT = {
  /** Documents with a word in any searchable field. Key: the word. */
  wordDocuments: contentKind<string, DocSet>({
    name: 'word',
    keyOf: sameText,
    bytesOf: bytesOfDocuments,
    packed: packedDocuments,
    renew: renewDocuments,
  }),

  /** Documents with two words near each other. Key: their distance and both. */
  pairDocuments: contentKind<string, DocSet>({
    name: 'pair',
    keyOf: sameText,
    bytesOf: bytesOfDocuments,
    packed: packedDocuments,
    renew: renewDocuments,
  }),

  /** Documents with a query node with the numbers of typos in a mask, in the fields of a scope. */
  nodeDocuments: contentKind<
    { readonly scope: string; readonly typoMask: number; readonly node: string },
    DocSet
  >({
    name: 'node',
    keyOf: ({ scope, typoMask, node }) => `${scope} ${typoMask} ${node}`,
    bytesOf: bytesOfDocuments,
    packed: packedDocuments,
    renew: renewDocuments,
  }),

  /** Occurrences of a query node without typos in all documents. */
  nodePositions: contentKind<
    {
      readonly kind: string;
      readonly text: string;
      readonly isFrequentPrefix: boolean;
      readonly completions: WordRanges | null;
    },
    NodePositions
  >({
    name: 'positions',
    keyOf: ({ kind, text, isFrequentPrefix, completions }) =>
      `${kind} ${text}${completions ? '*' : ''}${isFrequentPrefix ? '!' : ''}${completions?.last ?? ''}`,
    bytesOf: ({ offsets, keys, classes }) =>
      offsets.byteLength + keys.byteLength + classes.byteLength,
    bytesMax: NODE_POSITIONS_BYTES_MAX,
    renew: renewPositions,
  }),

  /** What the words of a query node lead to. Key: the words. */
  nodeContent: kind<string, NodeContent>({
    name: 'derivations',
    lifetime: 'generation',
    keyOf: sameText,
    bytesOf: ({ key, derivations: { oneTypo, twoTypos, synonyms, completions } }) =>
      CONTENT_BYTES +
      2 * (key?.length ?? 0) +
      WORD_BYTES *
        (oneTypo.length +
          twoTypos.length +
          synonyms.reduce((n, { slots }) => n + slots.length, 0)) +
      (completions?.bounds.byteLength ?? 0),
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
    bytesOf: ({ listed }) => listed.byteLength + 128,
  }),

  /** All documents with a query node by what a ranking rule prices it. */
  documentsByCost: contentKind<
    { readonly costs: string; readonly exactOnly: boolean; readonly node: string },
    readonly CostSet[]
  >({
    name: 'cost',
    keyOf: ({ costs, exactOnly, node }) => `${costs} ${exactOnly ? 'exact ' : ''}${node}`,
    ...costSets,
  }),

  /** Documents where words say more than in most, by how much; `scale` names how they count. */
  documentsByStrength: contentKind<
    { readonly scale: string; readonly words: string },
    readonly CostSet[]
  >({
    name: 'strength',
    keyOf: ({ scale, words }) => `${scale} ${words}`,
    ...costSets,
  }),

  /** All documents with a word by how exactly they match a query of that word alone. */
  exactnessMatches: contentKind<
    { readonly start: number; readonly node: string },
    ExactnessMatches
  >({
    name: 'exactness',
    keyOf: ({ start, node }) => `${start} ${node}`,
    bytesOf: ({ exactMatch, matchesStart }) => exactMatch.bytes + matchesStart.bytes,
    packed: ({ exactMatch, matchesStart }) => ({
      exactMatch: packedDocuments(exactMatch),
      matchesStart: packedDocuments(matchesStart),
    }),
    renew: renewMatches,
  }),

  /** Documents whose field has exactly so many words, as bits. */
  documentsOfLength: contentKind<
    { readonly wordCount: number; readonly field: number },
    Uint32Array
  >({
    name: 'length',
    keyOf: ({ wordCount, field }) => `${wordCount} ${field}`,
    bytesOf: ({ byteLength }) => byteLength,
    renew: renewBits,
  }),

  /** Documents that meet conditions of a filter. Key: the conditions as JSON. */
  conditionDocuments: contentKind<string, DocSet>({
    name: 'filter',
    keyOf: sameText,
    bytesOf: ({ bytes }, { length }) => bytes + 2 * length,
    packed: packedDocuments,
    renew: renewDocuments,
  }),

  /** Documents that have a value of a field. */
  valueDocuments: contentKind<{ readonly path: string; readonly value: number | string }, DocSet>({
    name: 'value',
    keyOf: ({ path, value }) => JSON.stringify([path, value]),
    bytesOf: bytesOfDocuments,
    packed: packedDocuments,
    renew: renewDocuments,
  }),

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

  /** `rules` names what the normal form depends on beside the values. */
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
