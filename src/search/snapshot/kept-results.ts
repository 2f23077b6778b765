/**
 * What searches keep for later ones: a table with one entry a kind, which says how long a result
 * holds, what its key is made of and what it weighs; and the access to it.
 */

import type { BudgetCache } from '../../core/budget-cache.ts';
import { clearBit, orInto } from '../../engine/sets/bitset.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { NodeContent, WordRanges } from './derivations.ts';

/**
 * How long a result holds. `generation`: it points into the segments of a generation. `content`: it
 * is made of DocIds and field numbers alone and says of each document what holds for it by itself,
 * so that a merge leaves it valid and a commit calls for a look at what was touched. `file`: it is
 * made of one file of the index, which never changes and which the key names.
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

/** What has come of the documents since a result was found. */
export interface Change {
  /** Documents written or removed, ascending. */
  readonly touched: Uint32Array;
  /** Length of document bitsets now. */
  readonly bitsetLength: number;
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

const renewDocuments = (earlier: DocSet, found: DocSet, change: Change): DocSet =>
  earlier.renewed(change.touched, found, change.bitsetLength);

function renewCosts(
  earlier: readonly CostSet[],
  found: readonly CostSet[],
  change: Change,
): CostSet[] {
  const none = DocSet.empty(change.bitsetLength);
  const byCost = new Map(earlier.map(({ cost, docs }) => [cost, { docs, found: none }]));
  for (const { cost, docs } of found)
    byCost.set(cost, { docs: byCost.get(cost)?.docs ?? none, found: docs });
  return [...byCost]
    .map(([cost, both]) => ({ cost, docs: renewDocuments(both.docs, both.found, change) }))
    .filter(({ docs }) => !docs.isEmpty)
    .sort((a, b) => a.cost - b.cost);
}

const renewMatches = (
  earlier: ExactnessMatches,
  found: ExactnessMatches,
  change: Change,
): ExactnessMatches => ({
  exactMatch: renewDocuments(earlier.exactMatch, found.exactMatch, change),
  matchesStart: renewDocuments(earlier.matchesStart, found.matchesStart, change),
});

function renewBits(
  earlier: Uint32Array,
  found: Uint32Array,
  { touched, bitsetLength }: Change,
): Uint32Array {
  const bits = new Uint32Array(bitsetLength);
  bits.set(earlier.subarray(0, bitsetLength));
  for (let i = 0; i < touched.length; i++) clearBit(bits, touched[i]!);
  return orInto(bits, found);
}

/** Rows of the touched documents are those found, all others are as they were. */
function renewPositions(
  earlier: NodePositions,
  found: NodePositions,
  { touched, bitsetLength }: Change,
): NodePositions {
  const rowCount = bitsetLength * 32;
  const lengthMax = earlier.keys.length + found.keys.length;
  const offsets = new Uint32Array(rowCount + 1);
  const keys = new Uint32Array(lengthMax);
  const classes = new Uint8Array(lengthMax);
  let length = 0;
  const take = (from: NodePositions, row: number, end: number): void => {
    const known = Math.min(end, from.offsets.length - 1);
    const start = from.offsets[Math.min(row, known)]!;
    keys.set(from.keys.subarray(start, from.offsets[known]), length);
    classes.set(from.classes.subarray(start, from.offsets[known]), length);
    for (let i = row; i < end; i++)
      offsets[i + 1] = length + from.offsets[Math.min(i + 1, known)]! - start;
    length = offsets[end]!;
  };
  let row = 0;
  for (let i = 0; i < touched.length && touched[i]! < rowCount; i++) {
    take(earlier, row, touched[i]!);
    row = touched[i]! + 1;
    take(found, row - 1, row);
  }
  take(earlier, row, rowCount);
  return { rows: 'docs', offsets, keys: keys.slice(0, length), classes: classes.slice(0, length) };
}

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
    packed: packedDocuments,
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

/** A value and the generation that it is right for. */
export interface KeptEntry {
  readonly value: KeptValue;
  readonly generation: number;
}

/** What a snapshot tells of itself. */
export interface Content<Part> {
  readonly generation: number;
  readonly whole: Part;
  /**
   * What has changed after an earlier generation, and the segments that have come since; null when
   * that is not known, or too much.
   */
  changeSince(generation: number): (Change & { readonly part: Part }) | null;
}

/** Finds a result in the segments of a snapshot, or of a part of it. */
export type Find<Part, Value> = (part: Part) => Value;

/**
 * The results of one thread that hold for one snapshot. A name holds that of its kind, so what is
 * under it is a value of that kind. @template Part a snapshot, or some of its segments
 */
export class KeptResults<Part> {
  readonly #cache: BudgetCache<KeptEntry>;
  readonly #subjects: Subjects;
  readonly #content: () => Content<Part>;

  constructor(cache: BudgetCache<KeptEntry>, subjects: Subjects, content: () => Content<Part>) {
    this.#cache = cache;
    this.#subjects = subjects;
    this.#content = content;
  }

  subject(lifetime: Lifetime): string {
    return this.#subjects[lifetime];
  }

  /**
   * The value under the key, brought up to date with what `find` finds in the segments that have
   * come since; undefined when there is none.
   */
  get<Key, Value extends KeptValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    find: Find<Part, Value>,
  ): Value | undefined {
    const name = this.#nameOf(of, key);
    const entry = this.#cache.get(name);
    if (entry === undefined) return undefined;
    const value = entry.value as Value;
    if (!of.renew) return value;
    const content = this.#content();
    if (entry.generation === content.generation) return value;
    const change = content.changeSince(entry.generation);
    if (change === null) return undefined;
    const renewed = of.renew(value, find(change.part), change);
    this.#keep(of, key, name, renewed);
    return renewed;
  }

  /** Keeps the value unless it is too large. */
  set<Key, Value extends KeptValue>(of: ResultKind<Key, Value>, key: Key, value: Value): void {
    this.#keep(of, key, this.#nameOf(of, key), value);
  }

  /** The value under the key; when there is none, a new one, which is kept. */
  getOrMake<Key, Value extends KeptValue>(
    of: ResultKind<Key, Value>,
    key: Key,
    find: Find<Part, Value>,
  ): Value {
    const known = this.get(of, key, find);
    if (known !== undefined) return known;
    const made = find(this.#content().whole);
    this.set(of, key, made);
    return made;
  }

  #keep<Key, Value extends KeptValue>(
    { packed, bytesOf, bytesMax = Number.POSITIVE_INFINITY }: ResultKind<Key, Value>,
    key: Key,
    name: string,
    found: Value,
  ): void {
    const value = packed ? packed(found) : found;
    const bytes = bytesOf(value, key);
    const { generation } = this.#content();
    if (bytes <= bytesMax) this.#cache.set(name, { value, generation }, bytes);
    else this.#cache.delete(name);
  }

  /** Lets go of all results of the lifetime. Costs a look at the name of each kept result. */
  forget(lifetime: Lifetime): void {
    this.#cache.forget(`${this.#subjects[lifetime]} `);
  }

  #nameOf<Key, Value extends KeptValue>(of: ResultKind<Key, Value>, key: Key): string {
    return `${this.#subjects[of.lifetime]} ${of.name} ${of.keyOf(key)}`;
  }
}
