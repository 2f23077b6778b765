/** Facet counts of several indexes in one answer (relevance.md 7.6). */
import { describe, expect, it } from 'vitest';
import {
  FacetOrders,
  type FacetTable,
  facetsByIndexMember,
  mergedFacetMembers,
  mergeFacets,
} from '../../../src/model/federated-facets.ts';

const table = (
  path: string,
  order: FacetTable['order'],
  values: readonly (readonly [string, number])[],
  stats: FacetTable['stats'] = null,
): FacetTable => ({ path, order, isOrderSet: true, values: new Map(values), stats });

const shops = {
  indexUid: 'shops',
  tables: [
    table('city', 'alpha', [
      ['Rom', 2],
      ['rom', 1],
    ]),
    table(
      'size',
      'count',
      [
        ['10', 4],
        ['9', 1],
      ],
      { min: 9, max: 10 },
    ),
  ],
};
const films = {
  indexUid: 'films',
  tables: [
    table('city', 'alpha', [
      ['Bonn', 1],
      ['Rom', 3],
    ]),
    table('age', 'alpha', []),
  ],
};

describe('facets merged over indexes', () => {
  it('costs as much as there are values, with any number of indexes', () => {
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    const indexes = Array.from({ length: 3000 }, (_, index) => ({
      indexUid: String(index),
      tables: [
        table(
          'city',
          'count',
          numbers.map((i) => [`${index} ${i}`, 1] as const),
        ),
      ],
    }));
    const [city] = mergeFacets(indexes, 10);
    expect(city?.values.size).toBe(10);
  });

  it('adds the counts of equal spellings and sorts the values by their bytes', () => {
    const [, city] = mergeFacets([shops, films], null);
    expect([...(city?.values ?? [])]).toEqual([
      ['Bonn', 1],
      ['Rom', 5],
      ['rom', 1],
    ]);
  });

  it('sorts by count where the facet is sorted so; equal counts keep the order of the tables', () => {
    const more = {
      indexUid: 'more',
      tables: [
        table('size', 'count', [
          ['9', 3],
          ['11', 1],
        ]),
      ],
    };
    const [size] = mergeFacets([{ ...shops, tables: shops.tables.slice(1) }, more], null);
    expect([...(size?.values ?? [])]).toEqual([
      ['10', 4],
      ['9', 4],
      ['11', 1],
    ]);
  });

  it('names the fields in order, cuts the values and joins the ranges', () => {
    const more = {
      indexUid: 'more',
      tables: [table('size', 'count', [['3', 9]], { min: 3, max: 3 })],
    };
    const merged = mergeFacets([shops, films, more], 1);
    expect(merged.map(({ path }) => path)).toEqual(['age', 'city', 'size']);
    expect(mergedFacetMembers(merged)).toBe(
      '"facetDistribution":{"age":{},"city":{"Bonn":1},"size":{"3":9}},"facetStats":{"size":{"min":3,"max":10}}',
    );
  });

  it('finds the first facet that two indexes order differently', () => {
    const orders = new FacetOrders();
    expect(orders.add(shops)).toBeNull();
    expect(orders.add(films)).toBeNull();
    const other = { indexUid: 'other', tables: [table('size', 'alpha', [])] };
    expect(orders.add(other)).toEqual({ path: 'size', indexUid: 'shops' });
  });
});

describe('facets kept apart by index', () => {
  it('keep the order of values also for those that look like integers', () => {
    const sizes = { ...shops, tables: shops.tables.slice(1) };
    expect(facetsByIndexMember([films, sizes])).toBe(
      '"facetsByIndex":{"films":{"distribution":{"city":{"Bonn":1,"Rom":3},"age":{}},"stats":{}},"shops":{"distribution":{"size":{"10":4,"9":1}},"stats":{"size":{"min":9,"max":10}}}}',
    );
  });
});
