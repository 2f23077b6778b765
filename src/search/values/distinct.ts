/**
 * Keeps one document per value of a field: a kept document excludes all other documents that share
 * one of its values (relevance.md 5.6), in one index or in several. With `groupBy`, the excluded
 * documents are its group.
 */
import type { Column } from '../../engine/columns/columns-reader.ts';
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import { hasBit, setBit } from '../../engine/sets/bitset.ts';
import { groupByWithDistinct, type SearchRequest } from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import type { GroupValue } from '../../model/shared-groups.ts';
import { requireFilterable } from '../filter/filterable-fields.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import { FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { FacetGroups } from './segment-counts.ts';

/** The field whose values occur once among the hits of a search; null = none. */
export const distinctFieldOf = (
  { groupBy, distinct }: Pick<SearchRequest, 'groupBy' | 'distinct'>,
  { distinctAttribute }: Settings,
): string | null => groupBy ?? distinct ?? distinctAttribute;

/**
 * @throws ApiError when a field of the request is not filterable; the distinct attribute of the
 * settings need not be
 */
export function checkDistinct({ distinct, groupBy }: SearchRequest, settings: Settings): void {
  if (distinct !== null && groupBy !== null) throw groupByWithDistinct(groupBy, distinct);
  for (const [name, code, field] of [
    ['distinct', 'invalid_search_distinct', distinct],
    ['groupBy', 'invalid_search_group_by', groupBy],
  ] as const) {
    if (field === null) continue;
    const problem = `Attribute \`${field}\` is not filterable and thus cannot be \`${name}\`.`;
    requireFilterable(settings, field, { code, problem });
  }
}

const UTF8 = new TextEncoder();
const NUMBER_KEY = 'number ';
const STRING_KEY = 'string ';

/** Filters of several indexes, in which a kept document excludes documents of all of them. */
interface SharedValues {
  readonly filters: DistinctFilter[];
  /** Number of groups. */
  groupCount: number;
}

/** The documents of one index. */
export class DistinctFilter {
  readonly #values: FieldValues;
  /** Documents that may no longer be returned. */
  readonly excluded: Uint32Array;
  readonly #shared: SharedValues;
  /** By document: the number, from 1, of the first kept document that shares a value, else 0. */
  readonly #groupOf: Uint32Array | null;

  /** @param hasGroups true if `facetGroups` are needed: 4 bytes a document of the index */
  constructor(
    snapshot: IndexSnapshot,
    path: string,
    hasGroups = false,
    shared: SharedValues = { filters: [], groupCount: 0 },
  ) {
    this.#values = new FieldValues(snapshot, path);
    this.excluded = new Uint32Array(snapshot.bitsetLength);
    this.#groupOf = hasGroups ? TYPED_ARRAY_POOL.zeros(snapshot.bitsetLength * 32) : null;
    this.#shared = shared;
    shared.filters.push(this);
  }

  /** By index: a document that one of the filters keeps excludes documents of all indexes. */
  static ofIndexes(
    snapshots: readonly IndexSnapshot[],
    path: string,
    hasGroups = false,
  ): readonly DistinctFilter[] {
    const shared: SharedValues = { filters: [], groupCount: 0 };
    return snapshots.map((snapshot) => new DistinctFilter(snapshot, path, hasGroups, shared));
  }

  /** Groups of the documents kept and excluded so far, of all indexes; null if not needed. */
  get facetGroups(): FacetGroups | null {
    const groupOf = this.#groupOf;
    return groupOf === null ? null : { groupOf, count: this.#shared.groupCount };
  }

  isExcluded(doc: number): boolean {
    return hasBit(this.excluded, doc);
  }

  /** Excludes the other documents that share a value with `doc`. */
  keep(doc: number): void {
    const { parts } = this.#values;
    if (this.#groupOf !== null && this.#groupOf[doc] === 0) {
      this.#shared.groupCount += 1;
      this.#groupOf[doc] = this.#shared.groupCount;
    }
    const isAlone = parts.length === 1 && this.#shared.filters.length === 1;
    for (const { column, dead } of parts) {
      if (dead !== null && hasBit(dead, doc)) continue;
      const { numbers, strings } = column;
      numbers.forEachOf(doc, (ordinal) => {
        this.#excludeIn(numbers, ordinal, dead);
        if (!isAlone) this.#exclude(numbers.valueAt(ordinal), column);
      });
      strings.forEachOf(doc, (ordinal) => {
        this.#excludeIn(strings, ordinal, dead);
        if (!isAlone) this.#exclude(strings.bytesAt(ordinal).slice(), column);
      });
    }
    this.excluded[doc >>> 5]! &= ~(1 << (doc & 31));
  }

  /** Excludes the documents of all indexes with one of the values, of `keysOf`. */
  excludeKeys(keys: readonly string[]): void {
    for (const key of keys) {
      const text = key.slice(STRING_KEY.length);
      this.#exclude(key.startsWith(NUMBER_KEY) ? Number(text) : UTF8.encode(text), null);
    }
  }

  /** The documents of `docs` that `exclude` excludes in addition; both by index. */
  excludedBy(exclude: () => void, docs: readonly DocSet[]): DocSet[] {
    const { filters } = this.#shared;
    const before = filters.map(({ excluded }) => TYPED_ARRAY_POOL.copyOf(excluded));
    exclude();
    return filters.map(({ excluded }, i) => {
      const taken = docs[i]!.intersect(excluded).subtract(before[i]!);
      TYPED_ARRAY_POOL.release(before[i]!);
      return taken;
    });
  }

  valueOf(doc: number): GroupValue {
    return groupValue(this.#values, doc);
  }

  /** The values of a document as texts that are equal in all indexes. */
  keysOf(doc: number): string[] {
    return valueKeys(this.#values, doc);
  }

  /**
   * The documents that remain after a walk of the complete set in internal order.
   * @param check called for each document; may throw
   */
  exhaust(docs: DocSet, check = (): void => undefined): DocSet {
    for (const doc of docs.toList()) {
      check();
      if (!this.isExcluded(doc)) this.keep(doc);
    }
    return docs.subtract(this.excluded);
  }

  /** Excludes the documents of all indexes with the value. @param except a column of this index */
  #exclude(value: number | Uint8Array, except: Column | null): void {
    for (const filter of this.#shared.filters)
      for (const { column, dead } of filter.#values.parts) {
        if (filter === this && column === except) continue;
        const { numbers, strings } = column;
        if (typeof value === 'number') filter.#excludeIn(numbers, numbers.find(value), dead);
        else filter.#excludeIn(strings, strings.find(value), dead);
      }
  }

  /** Excludes the live documents of a segment with a value. */
  #excludeIn(values: ValueSet, ordinal: number, dead: Uint32Array | null): void {
    if (ordinal < 0) return;
    const groupOf = this.#groupOf;
    if (dead === null && groupOf === null) {
      values.addDocuments(ordinal, ordinal + 1, this.excluded);
      return;
    }
    const { groupCount } = this.#shared;
    const end = values.firstEntry(ordinal + 1);
    for (let entry = values.firstEntry(ordinal); entry < end; entry++) {
      const doc = values.documentAt(entry);
      if (dead !== null && hasBit(dead, doc)) continue;
      setBit(this.excluded, doc);
      if (groupOf !== null && groupOf[doc] === 0) groupOf[doc] = groupCount;
    }
  }
}

/** The values of a document as it spells them: null for none, a list for several. */
export function groupValue({ parts }: FieldValues, doc: number): GroupValue {
  const found: (number | string)[] = [];
  for (const { column, dead } of parts) {
    if (dead !== null && hasBit(dead, doc)) continue;
    const { numbers, strings } = column;
    numbers.forEachOf(doc, (ordinal) => found.push(numbers.valueAt(ordinal)));
    strings.forEachOf(doc, (ordinal) => found.push(strings.spellingOf(doc, ordinal)));
  }
  return found.length > 1 ? found : (found[0] ?? null);
}

/** The values of a document as texts that are equal in all indexes; numbers and strings differ. */
export function valueKeys({ parts }: FieldValues, doc: number): string[] {
  const found: string[] = [];
  for (const { column, dead } of parts) {
    if (dead !== null && hasBit(dead, doc)) continue;
    column.numbers.forEachOf(doc, (ordinal) =>
      found.push(`${NUMBER_KEY}${column.numbers.valueAt(ordinal)}`),
    );
    column.strings.forEachOf(doc, (ordinal) =>
      found.push(`${STRING_KEY}${column.strings.textAt(ordinal)}`),
    );
  }
  return found;
}
