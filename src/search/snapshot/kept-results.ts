/**
 * What searches keep for later ones: a table with one entry a kind, which says how long a result
 * holds, what its key is made of and what it weighs; and the access to it.
 */

import type { BudgetCache } from '../../core/budget-cache.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { NodeContent } from './derivations.ts';

/**
 * How long a result holds. `generation`: it points into the segments of a generation. `content`: it
 * is made of DocIds and field numbers alone, which a merge does not change. `file`: it is made of
 * one file of the index, which never changes and which the key names.
 */
export type Lifetime = 'generation' | 'content' | 'file';

/** What the results of each lifetime are about, as the beginning of their names. */
export type Subjects = Readonly<Record<Lifetime, string>>;

/** Occurrences of a node by row: records of row `i` are `[offsets[i], offsets[i + 1])`. */
export interface NodePositions {
  /** A row is a slot of a table, or a DocId when the records of all living documents are there. */
  readonly rows: 'slots' | 'docs';
  readonly offsets: Uint32Array;
  /** An occurrence key each. */
  readonly keys: Uint32Array;
  readonly classes: Uint8Array;
}

/** Documents that a rule gives one cost. */
export interface CostSet {
  readonly cost: number;
  readonly docs: DocSet;
}

/** The two better match types of exactness; all other documents are of the third. */
export type ExactnessMatches = Readonly<Record<'exactMatch' | 'matchesStart', DocSet>>;

/** The values of a field as one list over all its parts. */
export interface MergedValues {
  /** Distinct values of all parts. */
  readonly count: number;
  /** For each part, the place of each of its values among all. */
  readonly places: readonly Uint32Array[];
}

/**
 * The distinct strings of a column in fully normalised form, ascending by bytes; the values of
 * several ordinals may have the same form, and each has its own place.
 */
export interface FacetVocabulary {
  readonly count: number;
  readonly text: Uint8Array;
  /** The form at place `i` is `text` from `starts[i]` to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** Bytes that the form has in common with the one before. */
  readonly shared: Uint16Array;
  readonly ordinals: Uint32Array;
}

export type KeptValue =
  | DocSet
  | Uint32Array
  | NodeContent
  | NodePositions
  | readonly CostSet[]
  | ExactnessMatches
  | MergedValues
  | FacetVocabulary;

export interface ResultKind<Key, Value extends KeptValue> {
  /** Tells the kinds of one lifetime apart. */
  readonly name: string;
  readonly lifetime: Lifetime;
  readonly keyOf: (key: Key) => string;
  /** Roughly the memory that the value holds. */
  readonly bytesOf: (value: Value, key: Key) => number;
  /** More is not kept. */
  readonly bytesMax?: number;
}

const kind = <Key, Value extends KeptValue>(
  entry: ResultKind<Key, Value>,
): ResultKind<Key, Value> => entry;

const bytesOfDocuments = ({ bytes }: DocSet): number => bytes;
const sameText = (key: string): string => key;

const CONTENT_BYTES = 512;
const WORD_BYTES = 128;

/**
 * More would push out much else, and what rules make of the positions takes a tenth and is kept by
 * itself.
 */
export const NODE_POSITIONS_BYTES_MAX = 1 << 20;

export const KEPT = {
  /** Documents with a word in any searchable field. Key: the word. */
  wordDocuments: kind<string, DocSet>({
    name: 'word',
    lifetime: 'content',
    keyOf: sameText,
    bytesOf: bytesOfDocuments,
  }),

  /** Documents with two words near each other. Key: their distance and both. */
  pairDocuments: kind<string, DocSet>({
    name: 'pair',
    lifetime: 'content',
    keyOf: sameText,
    bytesOf: bytesOfDocuments,
  }),

  /** Documents with a query node with the numbers of typos in a mask, in the fields of a scope. */
  nodeDocuments: kind<
    { readonly scope: string; readonly typoMask: number; readonly node: string },
    DocSet
  >({
    name: 'node',
    lifetime: 'content',
    keyOf: ({ scope, typoMask, node }) => `${scope} ${typoMask} ${node}`,
    bytesOf: bytesOfDocuments,
  }),

  /** Occurrences of a query node without typos in all documents. */
  nodePositions: kind<
    { readonly kind: string; readonly text: string; readonly isPrefix: boolean },
    NodePositions
  >({
    name: 'positions',
    lifetime: 'content',
    keyOf: ({ kind, text, isPrefix }) => `${kind} ${text}${isPrefix ? '*' : ''}`,
    bytesOf: ({ offsets, keys, classes }) =>
      offsets.byteLength + keys.byteLength + classes.byteLength,
    bytesMax: NODE_POSITIONS_BYTES_MAX,
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

  /** All documents with a query node by what a ranking rule prices it. */
  documentsByCost: kind<
    { readonly costs: string; readonly exactOnly: boolean; readonly node: string },
    readonly CostSet[]
  >({
    name: 'cost',
    lifetime: 'content',
    keyOf: ({ costs, exactOnly, node }) => `${costs} ${exactOnly ? 'exact ' : ''}${node}`,
    bytesOf: (sets) => sets.reduce((sum, { docs }) => sum + docs.bytes, 0),
  }),

  /** All documents with a word by how exactly they match a query of that word alone. */
  exactnessMatches: kind<{ readonly start: number; readonly node: string }, ExactnessMatches>({
    name: 'exactness',
    lifetime: 'content',
    keyOf: ({ start, node }) => `${start} ${node}`,
    bytesOf: ({ exactMatch, matchesStart }) => exactMatch.bytes + matchesStart.bytes,
  }),

  /** Documents whose field has exactly so many words, as bits. */
  documentsOfLength: kind<{ readonly wordCount: number; readonly field: number }, Uint32Array>({
    name: 'length',
    lifetime: 'content',
    keyOf: ({ wordCount, field }) => `${wordCount} ${field}`,
    bytesOf: ({ byteLength }) => byteLength,
  }),

  /** Documents that meet conditions of a filter. Key: the conditions as JSON. */
  conditionDocuments: kind<string, DocSet>({
    name: 'filter',
    lifetime: 'content',
    keyOf: sameText,
    bytesOf: ({ bytes }, { length }) => bytes + 2 * length,
  }),

  /** Documents that have a value of a field, given its ordinal in each part. */
  valueDocuments: kind<
    {
      readonly kind: 'numbers' | 'strings';
      readonly ordinals: readonly number[];
      readonly path: string;
    },
    DocSet
  >({
    name: 'value',
    lifetime: 'generation',
    keyOf: ({ kind, ordinals, path }) => `${kind} ${ordinals.join()} ${path}`,
    bytesOf: bytesOfDocuments,
  }),

  mergedValues: kind<{ readonly kind: 'numbers' | 'strings'; readonly path: string }, MergedValues>(
    {
      name: 'values',
      lifetime: 'generation',
      keyOf: ({ kind, path }) => `${kind} ${path}`,
      bytesOf: ({ places }) => places.reduce((bytes, own) => bytes + own.byteLength, 64),
    },
  ),

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

/**
 * The results of one thread that hold for one snapshot. A name holds that of its kind, so what is
 * under it is a value of that kind.
 */
export class KeptResults {
  readonly #cache: BudgetCache<KeptValue>;
  readonly #subjects: Subjects;

  constructor(cache: BudgetCache<KeptValue>, subjects: Subjects) {
    this.#cache = cache;
    this.#subjects = subjects;
  }

  subject(lifetime: Lifetime): string {
    return this.#subjects[lifetime];
  }

  get<Key, Value extends KeptValue>(of: ResultKind<Key, Value>, key: Key): Value | undefined {
    return this.#cache.get(this.#nameOf(of, key)) as Value | undefined;
  }

  /** Keeps the value unless there is one under the key, or it is too large. */
  set<Key, Value extends KeptValue>(of: ResultKind<Key, Value>, key: Key, value: Value): void {
    this.#keep(of, key, this.#nameOf(of, key), value);
  }

  /** The value under the key; when there is none, a new one, which is kept. */
  getOrMake<Key, Value extends KeptValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    make: () => Value,
  ): Value {
    const name = this.#nameOf(of, key);
    const known = this.#cache.get(name) as Value | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.#keep(of, key, name, made);
    return made;
  }

  #keep<Key, Value extends KeptValue>(
    { bytesOf, bytesMax = Number.POSITIVE_INFINITY }: ResultKind<Key, Value>,
    key: Key,
    name: string,
    value: Value,
  ): void {
    const bytes = bytesOf(value, key);
    if (bytes <= bytesMax) this.#cache.set(name, value, bytes);
  }

  /** Lets go of all results of the lifetime. Costs a look at the name of each kept result. */
  forget(lifetime: Lifetime): void {
    this.#cache.forget(`${this.#subjects[lifetime]} `);
  }

  #nameOf<Key, Value extends KeptValue>(of: ResultKind<Key, Value>, key: Key): string {
    return `${this.#subjects[of.lifetime]} ${of.name} ${of.keyOf(key)}`;
  }
}
