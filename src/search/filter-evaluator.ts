/** A filter → the living documents that it selects (relevance.md 5.3). */
import { Deadline } from '../core/deadline.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import type { Column, GeoPoints, GeoShapes } from '../engine/columns/columns.ts';
import { normalizeValue } from '../engine/columns/normalize-value.ts';
import { andInto, andNotInto, isEmpty, orInto } from '../engine/sets/bitset.ts';
import { FilterClock } from '../model/filter/filter-clock.ts';
import {
  type FilterFeatures,
  type FilterNode,
  type GeoCondition,
  isGeoCondition,
  type Mark,
  type ValuesCondition,
} from '../model/filter/filter-node.ts';
import { parseFilter } from '../model/filter/parse-filter.ts';
import type { Settings } from '../model/settings.ts';
import { FieldValues } from './field-values.ts';
import { checkPermissions } from './filter-permissions.ts';
import { areasOf } from './geo-areas.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import { documentsOfRanges, type RangeCondition } from './value-ranges.ts';

/** What a filter is evaluated on. */
export interface FilterSource extends Pick<IndexSnapshot, 'columns' | 'dead' | 'words' | 'liveBits'> {
  readonly manifest: { readonly settings: Settings };
}

export interface FilterOptions {
  /** Of the errors in the filter. */
  readonly code: ErrorCode;
  readonly features: FilterFeatures;
  /** Any deadline: its clock times filters of very many conditions. */
  readonly deadline: Deadline;
}

/**
 * Bits of the living documents that the filter selects; null when it restricts nothing.
 * @throws ApiError `code` for syntax, attributes and operators that are not allowed
 */
export function filterDocuments(source: FilterSource, filter: unknown, options: FilterOptions): Uint32Array | null {
  const { code, features, deadline } = options;
  const clock = new FilterClock(deadline, code);
  const node = parseFilter(filter, code, features, clock);
  if (node === null) return null;
  checkPermissions(node, source.manifest.settings, code);
  return new FilterEvaluator(source, clock).evaluate(node);
}

/** Bits of the stored documents that a filter, checked when it came in, selects for a write. */
export function selectStored(source: FilterSource, filter: unknown): Uint32Array {
  const features = { containsFilter: true };
  const options = { code: 'invalid_document_filter', features, deadline: Deadline.never() } as const;
  return filterDocuments(source, filter, options) ?? source.liveBits;
}

class FilterEvaluator {
  readonly #source: FilterSource;
  readonly #clock: FilterClock;
  readonly #fields = new Map<string, FieldValues>();

  constructor(source: FilterSource, clock: FilterClock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Bits that the caller may change. */
  evaluate(node: FilterNode): Uint32Array {
    if (node.kind === 'and') return this.#intersection(node.children);
    if (node.kind === 'or') return this.#union(node.children);
    if (node.kind === 'not') return this.#complement(this.evaluate(node.child));
    this.#clock.tick();
    if (isGeoCondition(node)) return this.#geo([node]);
    if (node.kind === 'mark') return this.#marked(node.attribute, node.mark);
    if (node.kind === 'values' && node.operator === '!=') return this.#without(node);
    return this.#ranges(node.attribute, [node]);
  }

  #intersection([first, ...others]: readonly FilterNode[]): Uint32Array {
    const bits = first === undefined ? this.#source.liveBits.slice() : this.evaluate(first);
    for (const node of others) {
      if (isEmpty(bits)) break;
      andInto(bits, this.evaluate(node));
    }
    return bits;
  }

  #union(nodes: readonly FilterNode[]): Uint32Array {
    const bits = new Uint32Array(this.#source.words);
    const ranges = new Map<string, RangeCondition[]>();
    const places: GeoCondition[] = [];
    for (const node of nodes) {
      if (isGeoCondition(node)) places.push(node);
      else if (isRange(node)) {
        const list = ranges.get(node.attribute);
        if (list === undefined) ranges.set(node.attribute, [node]);
        else list.push(node);
      } else orInto(bits, this.evaluate(node));
    }
    for (const [attribute, conditions] of ranges) orInto(bits, this.#ranges(attribute, conditions));
    return places.length === 0 ? bits : orInto(bits, this.#geo(places));
  }

  #complement(bits: Uint32Array): Uint32Array {
    return andNotInto(this.#source.liveBits.slice(), bits);
  }

  /** `!=` finds documents without the attribute too, but nothing when no document ever had it. */
  #without(condition: ValuesCondition): Uint32Array {
    if (this.#field(condition.attribute).parts.length === 0) return new Uint32Array(this.#source.words);
    return this.#complement(this.#ranges(condition.attribute, [condition]));
  }

  #ranges(attribute: string, conditions: readonly RangeCondition[]): Uint32Array {
    const matchesAll = (c: RangeCondition): boolean =>
      c.kind === 'text' && c.operator === 'STARTS WITH' && normalizeValue(c.value) === '';
    if (conditions.some(matchesAll)) return this.#marked(attribute, 'EXISTS');
    return this.#field(attribute).gather(documentsOfRanges(conditions, this.#clock));
  }

  #marked(attribute: string, mark: Mark): Uint32Array {
    return this.#field(attribute).gather((column: Column, bits) => {
      if (mark === 'EXISTS') column.addExisting(bits);
      else if (mark === 'IS NULL') column.addNull(bits);
      else column.addEmpty(bits);
    });
  }

  #geo(places: readonly GeoCondition[]): Uint32Array {
    const { columns, dead, words } = this.#source;
    const all = new Uint32Array(words);
    columns.forEach((files, s) => {
      const bits = new Uint32Array(words);
      for (const { geo, shapes } of files) {
        if (geo !== null && geo.count > 0) this.#addPoints(geo, places, bits);
        if (shapes !== null && shapes.count > 0) this.#addShapes(shapes, places, bits);
      }
      const gone = dead[s];
      orInto(all, gone ? andNotInto(bits, gone) : bits);
    });
    return all;
  }

  #addPoints(geo: GeoPoints, places: readonly GeoCondition[], bits: Uint32Array): void {
    for (const place of places) {
      this.#clock.tick();
      if (place.kind === 'radius') geo.addWithinRadius(place.center, place.metres, bits);
      else if (place.kind === 'box') geo.addWithinBox(place, bits);
    }
  }

  #addShapes(shapes: GeoShapes, places: readonly GeoCondition[], bits: Uint32Array): void {
    for (const place of places) {
      this.#clock.tick();
      for (const area of areasOf(place)) shapes.addOverlapping(area, bits);
    }
  }

  #field(path: string): FieldValues {
    let field = this.#fields.get(path);
    if (field === undefined) {
      field = new FieldValues(this.#source, path);
      this.#fields.set(path, field);
    }
    return field;
  }
}

function isRange(node: FilterNode): node is RangeCondition {
  if (node.kind === 'values') return node.operator !== '!=';
  return node.kind === 'comparison' || node.kind === 'range' || node.kind === 'text';
}
