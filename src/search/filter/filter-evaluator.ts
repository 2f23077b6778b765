/** A filter → the living documents that it selects (relevance.md 5.3). */

import { Deadline } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { limits } from '../../core/limits.ts';
import { decodeUtf8 } from '../../engine/bytes/utf8.ts';
import type { Column } from '../../engine/columns/columns-reader.ts';
import type { GeoPoints } from '../../engine/columns/geo-points.ts';
import type { GeoShapes } from '../../engine/columns/geo-shapes.ts';
import { normalizeValue } from '../../engine/columns/normalize-value.ts';
import { andNotInto, orInto } from '../../engine/sets/bitset.ts';
import { FilterClock, TASK_FILTER_BUDGET_MS } from '../../model/filter/filter-clock.ts';
import { filterForm, type UnparsedFilter, unparsedFilter } from '../../model/filter/filter-form.ts';
import {
  type AttributeCondition,
  type FilterNode,
  type ForeignCondition,
  type GeoCondition,
  isGeoCondition,
  type Mark,
  type ValuesCondition,
} from '../../model/filter/filter-node.ts';
import { tooManyForeign } from '../../model/filter/foreign-refusals.ts';
import { parseFilter, refuseForeign } from '../../model/filter/parse-filter.ts';
import { localesOfPath } from '../../model/localized-attributes.ts';
import { DocSet } from '../sets/doc-set.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import { locateDocument } from '../snapshot/document-place.ts';
import { FieldValues } from '../snapshot/field-values.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from '../snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { checkPermissions } from './filter-permissions.ts';
import { type FieldSource, hasHeldField } from './filterable-fields.ts';
import { areasOf } from './geo-areas.ts';
import { documentsOfRanges, type RangeCondition } from './ordinal-ranges.ts';
import { documentsWithVectors, type VectorsSource } from './vector-filter.ts';

/**
 * The documents of up to 32 conditions on an attribute, with up to 32 values each, are cached for
 * later filters.
 */
const CACHED_CONDITIONS_MAX = 32;

/** The index to evaluate a filter on; without a query cache nothing is cached. */
export interface FilterSource
  extends FieldSource,
    Pick<IndexSnapshot, 'live'>,
    Omit<VectorsSource, 'manifest'>,
    Partial<Pick<IndexSnapshot, 'queryCache'>> {}

/** Documents of an index as a write sees them. */
interface StoredSource extends Omit<FilterSource, 'live'> {
  readonly liveBits: Uint32Array;
}

export interface FilterOptions {
  /** Error code for errors in the filter. */
  readonly code: ErrorCode;
  /** Required for its clock, which times filters of very many conditions. */
  readonly deadline: Deadline;
  /** Of such filters; absent = that of a search. */
  readonly budgetMs?: number;
}

/** A filter after the syntax check. */
export interface ParsedFilter {
  readonly node: FilterNode;
  readonly code: ErrorCode;
  /** Started before parsing. */
  readonly clock: FilterClock;
}

/**
 * null when the filter restricts nothing.
 * @throws ApiError `code` for syntax
 */
export function parsedFilter(
  filter: UnparsedFilter | null,
  { code, deadline, budgetMs }: FilterOptions,
): ParsedFilter | null {
  if (filter === null) return null;
  const clock = new FilterClock(deadline, code, budgetMs);
  const node = parseFilter(filter.form, code, filter.features, clock);
  return node && { node, code, clock };
}

/**
 * The live documents that the filter selects; null when it restricts nothing.
 * @throws ApiError with the filter's code for attributes and operators that are not allowed
 */
export function filterDocuments(
  source: FilterSource,
  filter: ParsedFilter | null,
  foreign: ForeignIndexes = NO_FOREIGN_INDEXES,
): DocSet | null {
  if (filter === null) return null;
  const { node, code, clock } = filter;
  checkPermissions(node, source, { code, clock, foreign });
  return new FilterEvaluator(source, { code, clock, foreign }).evaluate(node);
}

/**
 * Bits of the stored documents that a filter selects for a write; the syntax was checked when the
 * request was accepted. The caller must not write to the bits. @param filter its JSON form
 * @param deadline its clock times the filter
 */
export function selectStored(
  source: StoredSource,
  filter: unknown,
  deadline = Deadline.never(),
): Uint32Array {
  const budgetMs = TASK_FILTER_BUDGET_MS;
  const options = { code: 'invalid_document_filter', deadline, budgetMs } as const;
  const form = filterForm(filter, options.code);
  const { liveBits, ...stored } = source;
  const parsed = parsedFilter(
    unparsedFilter(form, { containsFilter: true, multimodal: true, foreignKeys: true }),
    options,
  );
  if (parsed !== null) refuseForeign(parsed.node, options.code);
  const selected = filterDocuments({ ...stored, live: DocSet.fromBits(liveBits) }, parsed);
  return selected?.toBits() ?? liveBits;
}

interface EvaluationContext {
  readonly code: ErrorCode;
  readonly clock: FilterClock;
  readonly foreign: ForeignIndexes;
}

class FilterEvaluator {
  readonly #source: FilterSource;
  readonly #context: EvaluationContext;
  readonly #fields = new Map<string, FieldValues>();

  constructor(source: FilterSource, context: EvaluationContext) {
    this.#source = source;
    this.#context = context;
  }

  get #clock(): FilterClock {
    return this.#context.clock;
  }

  evaluate(node: FilterNode): DocSet {
    if (node.kind === 'and') return this.#intersection(node.children);
    if (node.kind === 'or') return this.#union(node.children);
    if (node.kind === 'not') return this.#complement(this.evaluate(node.child));
    this.#clock.tick();
    if (isGeoCondition(node)) return this.#geo([node]);
    if (node.kind === 'vectors') return documentsWithVectors(this.#source, node);
    if (node.kind === 'foreign') return this.#naming(node);
    if (node.kind === 'mark')
      return this.#cached([node], (source) => source.#marked(node.attribute, node.mark));
    if (node.kind === 'values' && node.operator === '!=') return this.#without(node);
    return this.#ranges(node.attribute, [node]);
  }

  /** The cached documents of the conditions, or else computes and caches them. */
  #cached(
    conditions: readonly AttributeCondition[],
    find: (evaluator: FilterEvaluator) => DocSet,
  ): DocSet {
    const { queryCache } = this.#source;
    const isLong = (node: AttributeCondition): boolean =>
      node.kind === 'values' && node.values.length > CACHED_CONDITIONS_MAX;
    if (!queryCache || conditions.length > CACHED_CONDITIONS_MAX || conditions.some(isLong))
      return find(this);
    const name = JSON.stringify(conditions, (member, value) =>
      member === 'column' ? undefined : value,
    );
    return queryCache.getOrMake(CACHE_KINDS.conditionDocuments, name, (part) =>
      find(part.places === null ? this : new FilterEvaluator(part, this.#context)),
    );
  }

  /**
   * The documents whose foreign key refers to a document that matches a condition on another index.
   */
  #naming(condition: ForeignCondition): DocSet {
    const { attribute, column } = condition;
    const values = this.#selectedIds(condition);
    return this.#ranges(attribute, [{ kind: 'values', operator: 'IN', values, attribute, column }]);
  }

  #selectedIds({ attribute, column, filter }: ForeignCondition): string[] {
    const { code, clock, foreign } = this.#context;
    const index = foreign.get(attribute);
    if (index === undefined) throw new Error(`no index of ${attribute}, which was checked`);
    const { snapshot, visible } = index;
    const context = { code, clock, foreign: NO_FOREIGN_INDEXES };
    const found = new FilterEvaluator(snapshot, context).evaluate(filter);
    const selected = visible === null ? found : found.retain(visible);
    const { count } = selected;
    if (count > limits.foreignDocumentsMax)
      throw tooManyForeign(code, column, snapshot.manifest.uid, count);
    return Array.from(selected.toList(), (doc) => {
      clock.tick();
      const place = locateDocument(snapshot, doc);
      if (place === null) throw new Error(`document ${doc} is selected but stored nowhere`);
      const id = place.segment.documentId(doc);
      return decodeUtf8(id, 0, id.length);
    });
  }

  #intersection([first, ...others]: readonly FilterNode[]): DocSet {
    let docs = first === undefined ? this.#source.live : this.evaluate(first);
    for (const node of others) {
      if (docs.isEmpty) break;
      docs = docs.retain(this.evaluate(node));
    }
    return docs;
  }

  #union(nodes: readonly FilterNode[]): DocSet {
    const parts: DocSet[] = [];
    const ranges = new Map<string, RangeCondition[]>();
    const places: GeoCondition[] = [];
    for (const node of nodes) {
      if (isGeoCondition(node)) places.push(node);
      else if (isRange(node)) getOrCompute(ranges, node.attribute, () => []).push(node);
      else parts.push(this.evaluate(node));
    }
    for (const [attribute, conditions] of ranges) parts.push(this.#ranges(attribute, conditions));
    if (places.length > 0) parts.push(this.#geo(places));
    return DocSet.unionOf(parts, this.#source.bitsetLength);
  }

  #complement(docs: DocSet): DocSet {
    return this.#source.live.without(docs);
  }

  /** `!=` finds documents without the attribute too, but nothing when no document ever had it. */
  #without(condition: ValuesCondition): DocSet {
    if (!hasHeldField(this.#source, condition.attribute))
      return DocSet.empty(this.#source.bitsetLength);
    return this.#complement(this.#ranges(condition.attribute, [{ ...condition, operator: '=' }]));
  }

  #ranges(attribute: string, conditions: readonly RangeCondition[]): DocSet {
    const matchesAll = (c: RangeCondition): boolean =>
      c.kind === 'text' && c.operator === 'STARTS WITH' && normalizeValue(c.value) === '';
    return this.#cached(conditions, (evaluator) =>
      conditions.some(matchesAll)
        ? evaluator.#marked(attribute, 'EXISTS')
        : evaluator.#field(attribute).gather(
            documentsOfRanges(conditions, {
              clock: this.#clock,
              meetsVariants: !this.#isJapanese(attribute),
            }),
          ),
    );
  }

  /** True if all locales of the attribute are Japanese: character variants then stay distinct. */
  #isJapanese(attribute: string): boolean {
    const locales = localesOfPath(this.#source.manifest.settings, attribute);
    return locales?.every((locale) => locale === 'jpn') ?? false;
  }

  #marked(attribute: string, mark: Mark): DocSet {
    return this.#field(attribute).gather((column: Column, bits) => {
      if (mark === 'EXISTS') column.addExisting(bits);
      else if (mark === 'IS NULL') column.addNull(bits);
      else column.addEmpty(bits);
    });
  }

  #geo(places: readonly GeoCondition[]): DocSet {
    const { columns, dead, bitsetLength } = this.#source;
    const all = new Uint32Array(bitsetLength);
    columns.forEach((files, s) => {
      const bits = new Uint32Array(bitsetLength);
      for (const { geo, shapes } of files) {
        if (geo !== null && geo.count > 0) this.#addPoints(geo, places, bits);
        if (shapes !== null && shapes.count > 0) this.#addShapes(shapes, places, bits);
      }
      const gone = dead[s];
      orInto(all, gone ? andNotInto(bits, gone) : bits);
    });
    return DocSet.fromBits(all);
  }

  #addPoints(geo: GeoPoints, places: readonly GeoCondition[], bits: Uint32Array): void {
    for (const place of places) {
      this.#clock.tick();
      if (place.kind === 'radius') geo.addWithinRadius(place.center, place.metres, bits);
      else if (place.kind === 'box') geo.addWithinBox(place, bits);
    }
  }

  #addShapes(shapes: GeoShapes, places: readonly GeoCondition[], bits: Uint32Array): void {
    const compared = (pairs: number): void => this.#clock.tickPairs(pairs);
    for (const place of places) {
      this.#clock.tick();
      for (const area of areasOf(place)) shapes.addOverlapping(area, bits, compared);
    }
  }

  #field(path: string): FieldValues {
    return getOrCompute(this.#fields, path, () => new FieldValues(this.#source, path));
  }
}

function isRange(node: FilterNode): node is RangeCondition {
  if (node.kind === 'values') return node.operator !== '!=';
  return node.kind === 'comparison' || node.kind === 'range' || node.kind === 'text';
}
