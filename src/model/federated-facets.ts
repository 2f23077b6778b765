/**
 * Facet counts of several indexes in one answer, separate by index or merged by field (relevance.md
 * 7.6).
 */

import { compareCodePoints } from '../core/compare-text.ts';
import { getOrCompute } from '../core/get-or-compute.ts';

export interface FacetTable {
  readonly path: string;
  readonly order: 'alpha' | 'count';
  /** False if the order was inferred from the values; an order from settings then wins. */
  readonly isOrderSet: boolean;
  /** Displayed value → number of candidates, in the order of the answer. */
  readonly values: ReadonlyMap<string, number>;
  readonly stats: { readonly min: number; readonly max: number } | null;
}

export interface IndexFacets {
  readonly indexUid: string;
  readonly tables: readonly FacetTable[];
}

interface OrderConflict {
  readonly path: string;
  /** The earlier index with the other order. */
  readonly indexUid: string;
}

/** The orders of facet values that the settings of indexes say. */
export class FacetOrders {
  readonly #known = new Map<string, { readonly order: string; readonly indexUid: string }>();

  /** The first field whose values an earlier index orders differently, or null. */
  add({ indexUid, tables }: IndexFacets): OrderConflict | null {
    for (const { path, order, isOrderSet } of tables) {
      if (!isOrderSet) continue;
      const known = this.#known.get(path);
      if (known === undefined) this.#known.set(path, { order, indexUid });
      else if (known.order !== order) return { path, indexUid: known.indexUid };
    }
    return null;
  }
}

/** Adds tables of several indexes or instances; the cost is linear in their values. */
export class FacetMerge {
  readonly #merged = new Map<string, MergedTable>();

  add(table: FacetTable): void {
    const known = this.#merged.get(table.path);
    if (known === undefined) this.#merged.set(table.path, { table, values: new Map(table.values) });
    else addTable(known, table);
  }

  /** One table per field, in byte order of field names. @param valuesMax null = all values */
  tables(valuesMax: number | null): FacetTable[] {
    return [...this.#merged.values()]
      .sort((a, b) => compareCodePoints(a.table.path, b.table.path))
      .map(({ table, values }) => ({
        ...table,
        values: sortValues({ ...table, values }, valuesMax),
      }));
  }
}

/** One table per field, in byte order of field names. @param valuesMax null = all values */
export function mergeFacets(
  indexes: readonly IndexFacets[],
  valuesMax: number | null,
): FacetTable[] {
  const merge = new FacetMerge();
  for (const { tables } of indexes) for (const table of tables) merge.add(table);
  return merge.tables(valuesMax);
}

/** One entry per uid: adds the counts of several instances for an index of the same uid. */
export function joinIndexes(parts: readonly IndexFacets[]): readonly IndexFacets[] {
  const byUid = new Map<string, IndexFacets[]>();
  for (const part of parts) {
    getOrCompute(byUid, part.indexUid, () => []).push(part);
  }
  return [...byUid].map(([indexUid, same]) => {
    const [only] = same;
    if (only !== undefined && same.length === 1) return only;
    return { indexUid, tables: mergeFacets(same, null) };
  });
}

interface MergedTable {
  table: FacetTable;
  readonly values: Map<string, number>;
}

function addTable(known: MergedTable, more: FacetTable): void {
  const { table, values } = known;
  for (const [value, count] of more.values) values.set(value, (values.get(value) ?? 0) + count);
  const stats =
    table.stats && more.stats
      ? {
          min: Math.min(table.stats.min, more.stats.min),
          max: Math.max(table.stats.max, more.stats.max),
        }
      : (table.stats ?? more.stats);
  known.table = { ...table, ...orderOfBoth(table, more), stats };
}

type Order = Pick<FacetTable, 'order' | 'isOrderSet'>;

/** Few values look alphabetical in any order, so the other order is more certain. */
function orderOfBoth(a: Order, b: Order): Order {
  const looks = a.order === 'count' ? a : b;
  const { order, isOrderSet } = [a, b].find((each) => each.isOrderSet) ?? looks;
  return { order, isOrderSet };
}

/** Equal counts stay in the order of the tables, of the first one that has the value. */
function sortValues(
  { order, values }: FacetTable,
  valuesMax: number | null,
): ReadonlyMap<string, number> {
  const entries = [...values].sort(([a, countOfA], [b, countOfB]) =>
    order === 'count' ? countOfB - countOfA : compareCodePoints(a, b),
  );
  return new Map(valuesMax === null ? entries : entries.slice(0, valuesMax));
}

/** `"facetDistribution":…,"facetStats":…` of merged tables. */
export const mergedFacetMembers = (tables: readonly FacetTable[]): string =>
  `"facetDistribution":${distributionJson(tables)},"facetStats":${statsJson(tables)}`;

/** `"facetsByIndex":…` */
export function facetsByIndexMember(indexes: readonly IndexFacets[]): string {
  const members = indexes.map(
    ({ indexUid, tables }) =>
      `${JSON.stringify(indexUid)}:{"distribution":${distributionJson(tables)},"stats":${statsJson(tables)}}`,
  );
  return `"facetsByIndex":{${members.join(',')}}`;
}

/** Written by hand, because objects put integer-like keys first. */
function distributionJson(tables: readonly FacetTable[]): string {
  const fields = tables.map(({ path, values }) => {
    const counts = Array.from(values, ([value, count]) => `${JSON.stringify(value)}:${count}`);
    return `${JSON.stringify(path)}:{${counts.join(',')}}`;
  });
  return `{${fields.join(',')}}`;
}

function statsJson(tables: readonly FacetTable[]): string {
  const fields = tables.flatMap(({ path, stats }) =>
    stats === null ? [] : [`${JSON.stringify(path)}:${JSON.stringify(stats)}`],
  );
  return `{${fields.join(',')}}`;
}
