/**
 * Keeps one document per value of a field: a kept document excludes all other documents that share
 * one of its values (relevance.md 5.6).
 */
import { ApiError } from '../../core/errors.ts';
import type { Column } from '../../engine/columns/columns.ts';
import { andNotInto, hasBit, orInto } from '../../engine/sets/bitset.ts';
import type { Settings } from '../../model/settings.ts';
import {
  allowsFilter,
  availablePatterns,
  isFilterable,
  refusingRule,
} from '../filter/filterable-fields.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

/**
 * @throws ApiError when the field of the request is not filterable; the distinct attribute of the
 * settings need not be
 */
export function checkDistinct(field: string | null, settings: Settings): void {
  if (field === null || isFilterable(settings, field)) return;
  throw new ApiError(
    'invalid_search_distinct',
    `Attribute \`${field}\` is not filterable and thus cannot be \`distinct\`.${refusingRule(settings, field)} ${availablePatterns(settings, allowsFilter)}`,
  );
}

export class DistinctFilter {
  readonly #values: FieldValues;
  /** Documents that may no longer be returned. */
  readonly excluded: Uint32Array;

  constructor(snapshot: IndexSnapshot, path: string) {
    this.#values = new FieldValues(snapshot, path);
    this.excluded = new Uint32Array(snapshot.bitsetLength);
  }

  isExcluded(doc: number): boolean {
    return hasBit(this.excluded, doc);
  }

  /** Excludes the other documents that share a value with `doc`. */
  keep(doc: number): void {
    for (const { column, dead } of this.#values.parts) {
      if (dead !== null && hasBit(dead, doc)) continue;
      column.numbers.forEachOf(doc, (ordinal) =>
        this.#excludeNumber(column.numbers.valueAt(ordinal)),
      );
      column.strings.forEachOf(doc, (ordinal) =>
        this.#excludeString(column.strings.bytesAt(ordinal).slice()),
      );
    }
    this.excluded[doc >>> 5]! &= ~(1 << (doc & 31));
  }

  /** The documents that remain after a walk of the complete set in internal order. */
  exhaust(docs: DocSet): DocSet {
    for (const doc of docs.toList()) if (!this.isExcluded(doc)) this.keep(doc);
    return docs.subtract(this.excluded);
  }

  #excludeNumber(value: number): void {
    this.#excludeHolders('numbers', ({ numbers }) => numbers.find(value));
  }

  #excludeString(value: Uint8Array): void {
    this.#excludeHolders('strings', ({ strings }) => strings.find(value));
  }

  #excludeHolders(kind: 'numbers' | 'strings', find: (column: Column) => number): void {
    for (const { column, dead } of this.#values.parts) {
      const ordinal = find(column);
      if (ordinal < 0) continue;
      if (dead === null) column[kind].addDocuments(ordinal, ordinal + 1, this.excluded);
      else {
        const bits = new Uint32Array(this.excluded.length);
        column[kind].addDocuments(ordinal, ordinal + 1, bits);
        orInto(this.excluded, andNotInto(bits, dead));
      }
    }
  }
}
