/**
 * Facet counts of several indexes in one answer, separate by index or merged by field (relevance.md
 * 7.6).
 */
import { compareCodePoints } from '../core/compare-text.ts';

export interface FacetTable {
  readonly path: string;
  readonly order: 'alpha' | 'count';
  /** False if the order was inferred from the values; an order from settings then wins. */
  readonly isOrderTold: boolean;
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
  readonly indexUids: readonly [string, string];
}

/** The first field whose values are ordered differently by the settings of two indexes, or null. */
export function findOrderConflict(indexes: readonly IndexFacets[]): OrderConflict | null {
  const orders = new Map<string, { readonly order: string; readonly indexUid: string }>();
  for (const { indexUid, tables } of indexes) {
    for (const { path, order, isOrderTold } of tables) {
      if (!isOrderTold) continue;
      const known = orders.get(path);
      if (known === undefined) orders.set(path, { order, indexUid });
      else if (known.order !== order) return { path, indexUids: [known.indexUid, indexUid] };
    }
  }
  return null;
}

/** One table per field, in byte order of field names. @param valuesMax null = all values */
export function mergeFacets(
  indexes: readonly IndexFacets[],
  valuesMax: number | null,
): FacetTable[] {
  const merged = new Map<string, FacetTable>();
  for (const { tables } of indexes) {
    for (const table of tables) {
      const known = merged.get(table.path);
      merged.set(table.path, known === undefined ? table : addTables(known, table));
    }
  }
  return [...merged.values()]
    .sort((a, b) => compareCodePoints(a.path, b.path))
    .map((table) => ({ ...table, values: sortValues(table, valuesMax) }));
}

/** One entry per uid: adds the counts of several instances for an index of the same uid. */
export function joinIndexes(parts: readonly IndexFacets[]): readonly IndexFacets[] {
  const byUid = new Map<string, IndexFacets[]>();
  for (const part of parts) byUid.set(part.indexUid, [...(byUid.get(part.indexUid) ?? []), part]);
  return [...byUid].map(([indexUid, same]) => {
    const [only] = same;
    return only !== undefined && same.length === 1
      ? only
      : { indexUid, tables: mergeFacets(same, null) };
  });
}

function addTables(a: FacetTable, b: FacetTable): FacetTable {
  const values = new Map(a.values);
  for (const [value, count] of b.values) values.set(value, (values.get(value) ?? 0) + count);
  const stats =
    a.stats && b.stats
      ? { min: Math.min(a.stats.min, b.stats.min), max: Math.max(a.stats.max, b.stats.max) }
      : (a.stats ?? b.stats);
  return { ...a, ...orderOfBoth(a, b), values, stats };
}

type Order = Pick<FacetTable, 'order' | 'isOrderTold'>;

/** Few values look alphabetical in any order, so the other order is more certain. */
function orderOfBoth(a: Order, b: Order): Order {
  const looks = a.order === 'count' ? a : b;
  const { order, isOrderTold } = [a, b].find((each) => each.isOrderTold) ?? looks;
  return { order, isOrderTold };
}

function sortValues(
  { order, values }: FacetTable,
  valuesMax: number | null,
): ReadonlyMap<string, number> {
  const entries = [...values].sort(([a, countOfA], [b, countOfB]) =>
    order === 'count' ? countOfB - countOfA || compareCodePoints(b, a) : compareCodePoints(a, b),
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
