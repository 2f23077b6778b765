/** Groups over several instances: equality with one instance that has all indexes. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../src/core/limits.ts';
import type { SearchRule } from '../../../src/model/search-rule.ts';
import {
  groupPages,
  lampQueries,
  lampsOf,
  SHOP_FACETS,
  SHOP_SETTINGS,
  SHOP_UIDS,
} from '../../support/lamp-shops.ts';
import {
  type FederatedHit,
  multiSearchOver,
  type Remotes,
  type SmallIndex,
} from '../../support/multi-search.ts';
import { amount } from '../../support/run-length.ts';

const oneBrand = fc.option(fc.constantFrom('anker', 'Bosch', 'bosch', 'casio', 7, 8.5, '7'), {
  nil: undefined,
});
/** Facets of several instances do not unite spellings. */
const plainBrand = fc.option(fc.constantFrom('anker', 'casio', 8.5), { nil: undefined });
const someBrands = fc.uniqueArray(fc.constantFrom('anker', 'bosch', 'casio', 'dell', 'eizo'), {
  maxLength: 3,
});
const corpusOf = (brand: fc.Arbitrary<unknown>, rows: number) => lampsOf(brand, [0, rows]);

type Query = { readonly indexUid: string; readonly federationOptions: object };

/** The index `a` here, `b` and `c` at an instance each. */
const REMOTE_OF: Readonly<Record<string, string>> = { b: 'there', c: 'elsewhere' };
const overNetwork = (queries: readonly Query[]) =>
  queries.map((query) => {
    const remote = REMOTE_OF[query.indexUid];
    const federationOptions = { ...query.federationOptions, ...(remote && { remote }) };
    return { ...query, federationOptions };
  });

function instances(
  corpora: readonly (readonly object[])[],
  rules: readonly SearchRule[] = [],
  answer?: Remotes['answer'],
) {
  const index = (i: number): SmallIndex => ({
    documents: corpora[i] as SmallIndex['documents'],
    settings: SHOP_SETTINGS,
    segmentCount: 1 + (i % 2),
  });
  const all = Object.fromEntries(SHOP_UIDS.map((uid, i) => [uid, index(i)]));
  const { a, b, c } = { a: index(0), b: index(1), c: index(2) };
  const remotes: Remotes = {
    indexes: { there: { b }, elsewhere: { c } },
    ...(answer && { answer }),
  };
  return {
    one: multiSearchOver(all, rules),
    several: multiSearchOver({ a }, rules, remotes),
  };
}

/** Without the names of instances. */
const withoutRemotes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, own) =>
      ['remote', 'remoteErrors', 'processingTimeMs'].includes(key) ? undefined : own,
    ),
  );

const corpora = (brand: fc.Arbitrary<unknown>, rows = 20) =>
  fc.array(corpusOf(brand, rows), { minLength: 3, maxLength: 3 });
const facetsOf = (queries: readonly Query[]) =>
  Object.fromEntries(queries.map(({ indexUid }) => [indexUid, SHOP_FACETS]));

describe('groups over several instances', () => {
  it('are those of one instance: hits, documents, numbers, facets', async () => {
    await fc.assert(
      fc.asyncProperty(
        corpora(oneBrand),
        lampQueries,
        groupPages,
        fc.boolean(),
        async (documents, queries, page, isMerged) => {
          const { one, several } = instances(documents);
          const federation = {
            groupBy: 'brand',
            ...page,
            facetsByIndex: facetsOf(queries),
            ...(isMerged && { mergeFacets: {} }),
          };
          const expected = await one.merged(queries, federation);
          const answer = await several.merged(overNetwork(queries), federation);
          expect(withoutRemotes(answer)).toEqual(withoutRemotes(expected));
        },
      ),
      { numRuns: amount(10, 2000) },
    );
  });

  it('are those of one instance where documents have several values', async () => {
    await fc.assert(
      fc.asyncProperty(
        corpora(someBrands),
        lampQueries,
        groupPages,
        async (documents, queries, page) => {
          const { one, several } = instances(documents);
          const by = { groupBy: 'brand', groupSize: page.groupSize };
          const expected = await one.merged(queries, { ...by, ...page });
          const answer = await several.merged(overNetwork(queries), { ...by, ...page });
          expect(withoutRemotes(answer.hits)).toEqual(withoutRemotes(expected.hits));
          const all = { ...by, limit: 1000, facetsByIndex: facetsOf(queries) };
          const whole = await several.merged(overNetwork(queries), all);
          expect(withoutRemotes(whole)).toEqual(withoutRemotes(await one.merged(queries, all)));
        },
      ),
      { numRuns: amount(10, 2000) },
    );
  });

  const rule = (indexUid: string, ids: readonly number[], precedence: number): SearchRule => ({
    uid: `rule-${precedence}`,
    lastUpdatedAt: null,
    precedence,
    active: true,
    conditions: {},
    actions: ids.map((id, i) => ({
      selector: { indexUid, id: String(id) },
      action: { type: 'pin', position: 2 * i },
    })),
  });

  it('have the pinned documents of all instances', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(corpora(oneBrand), corpora(someBrands)),
        lampQueries,
        groupPages,
        async (documents, queries, page) => {
          const rules = [rule('b', [1, 3], 1), rule('a', [0, 2], 2)];
          const { one, several } = instances(documents, rules);
          const federation = { groupBy: 'brand', ...page };
          const expected = await one.merged(queries, federation);
          const answer = await several.merged(overNetwork(queries), federation);
          expect(withoutRemotes(answer.hits)).toEqual(withoutRemotes(expected.hits));
          expect(answer['totalDocuments']).toBe(expected['totalDocuments']);
        },
      ),
      { numRuns: amount(8, 2000) },
    );
  });

  it('have pinned documents behind the page, whose values no other hit has', async () => {
    const own = (brands: readonly (string | null)[]) =>
      brands.map((brand, id) => ({ id, title: 'lamp', brand }));
    const rules = [rule('b', [1, 3], 1)];
    const documents = [own(['x']), own([null, 'x', null, 'z']), own(['z'])];
    const { one, several } = instances(documents, rules);
    const asked = ['c', 'b', 'a'].map((indexUid) => ({ indexUid, federationOptions: {} }));
    const federation = { groupBy: 'brand', limit: 2 };
    const { hits } = await several.merged(overNetwork(asked), federation);
    expect(hits.map(({ id, _federation: { indexUid } }) => [indexUid, id])).toEqual([
      ['b', 1],
      ['b', 0],
    ]);
    const expected = await one.merged(asked, federation);
    expect(withoutRemotes(hits)).toEqual(withoutRemotes(expected.hits));
  });

  const lamps = (brands: readonly string[]) =>
    brands.map((brand, id) => ({ id, title: 'lamp', brand, colour: 'red' }));
  const shops = [lamps(['x', 'y', 'x']), lamps(['x', 'z']), lamps(['z', 'w'])];
  const queries = SHOP_UIDS.map((indexUid) => ({ indexUid, q: 'lamp', federationOptions: {} }));

  it('name the instance of each document', async () => {
    const { several } = instances(shops);
    const { hits } = await several.merged(overNetwork(queries), { groupBy: 'brand', limit: 1 });
    const [first] = hits as unknown as (FederatedHit & { _group: { hits: FederatedHit[] } })[];
    expect(first).toMatchObject({
      _federation: { indexUid: 'a', remote: 'here' },
      _group: { value: 'x', count: 3 },
    });
    expect(first?._group.hits.map(({ _federation }) => _federation)).toMatchObject([
      { indexUid: 'a', queriesPosition: 0, remote: 'here' },
      { indexUid: 'b', queriesPosition: 1, remote: 'there' },
    ]);
    expect(Object.keys(first?._group.hits[1]?._federation ?? {})).toEqual([
      'indexUid',
      'queriesPosition',
      'weightedRankingScore',
      'remote',
    ]);
  });

  it('lack an instance that fails in any of its requests, as if it had failed at first', async () => {
    const failures = [() => true, (body: unknown) => JSON.stringify(body).includes('preceding')];
    for (const fails of failures) {
      const { one, several } = instances(shops, [], (name, body) =>
        name === 'there' && fails(body)
          ? { status: 500, headers: {}, body: Buffer.from('{}') }
          : null,
      );
      const federation = { groupBy: 'brand', facetsByIndex: { a: ['colour'], c: ['colour'] } };
      const answer = await several.merged(overNetwork(queries), federation);
      expect(answer['remoteErrors']).toMatchObject({ there: { code: 'remote_remote_error' } });
      const others = queries.filter(({ indexUid }) => indexUid !== 'b');
      const expected = await one.merged(others, federation);
      const places = (hits: readonly FederatedHit[]) =>
        JSON.stringify(hits, (key, value) =>
          ['remote', 'queriesPosition'].includes(key) ? undefined : value,
        );
      expect(places(answer.hits)).toBe(places(expected.hits));
      for (const member of ['totalGroups', 'totalDocuments', 'facetsByIndex'])
        expect(answer[member]).toEqual(expected[member]);
    }
  });

  it('name an instance whose version does not send them', async () => {
    const { several } = instances(shops, [], (name) => {
      const old = { hits: [], estimatedTotalHits: 0, totalGroups: 0, totalDocuments: 0 };
      const body = Buffer.from(JSON.stringify(old));
      return name === 'there' ? { status: 200, headers: {}, body } : null;
    });
    const answer = await several.merged(overNetwork(queries), { groupBy: 'brand' });
    expect(answer['remoteErrors']).toMatchObject({
      there: {
        code: 'remote_bad_response',
        message: expect.stringContaining('which its version may not know'),
      },
    });
    expect(answer).toMatchObject({ totalGroups: 4, totalDocuments: 5 });
  });

  describe('where one instance has too many', () => {
    const FEW = 20;
    const changed = limits as { sharedGroupsMax: number };
    const { sharedGroupsMax } = limits;
    beforeAll(() => {
      changed.sharedGroupsMax = FEW;
    });
    afterAll(() => {
      changed.sharedGroupsMax = sharedGroupsMax;
    });

    it.each([
      ['as one to all', FEW, FEW],
      ['for each instance', FEW + 1, FEW + 3],
    ])('are counted %s', async (_, count, total) => {
      const many = Array.from({ length: count }, (_, id) => ({ id, brand: id }));
      const { several } = instances([[{ id: 0, brand: 5 }], many, [{ id: 0, brand: 5 }]]);
      const asked = SHOP_UIDS.map((indexUid) => ({
        ...{ indexUid, sort: ['price:asc'] },
        federationOptions: {},
      }));
      const facetsByIndex = { a: ['brand'] };
      const federation = { groupBy: 'brand', limit: 1, facetsByIndex };
      expect(await several.merged(overNetwork(asked), federation)).toMatchObject({
        hits: [{ _group: { value: 5, count: 3 } }],
        totalGroups: total,
        totalDocuments: count + 2,
        facetsByIndex: { a: { distribution: { brand: { 5: 1 } } } },
      });
    });
  });

  it('are refused where only an instance may ask', async () => {
    const { one } = instances(shops);
    const precedingGroups = [{ values: ['string x'], size: 1 }];
    await expect(one.merged(queries, { groupBy: 'brand', precedingGroups })).rejects.toMatchObject({
      code: 'invalid_multi_search_group_by',
    });
  });
});

describe('groups of an index with documents at several instances', () => {
  it('are those of all its documents', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(corpora(plainBrand), corpora(someBrands)),
        groupPages,
        async (documents, page) => {
          const parts = documents.map((part, i) =>
            part.map((document) => ({ ...document, id: 100 * i + Number(document['id']) })),
          );
          const index = (part: readonly object[]): SmallIndex => ({
            documents: part as SmallIndex['documents'],
            settings: SHOP_SETTINGS,
          });
          const [here = [], there = [], elsewhere = []] = parts;
          const one = multiSearchOver({ a: index(parts.flat()) });
          const several = multiSearchOver({ a: index(here) }, [], {
            indexes: { there: { a: index(there) }, elsewhere: { a: index(elsewhere) } },
          });
          const query = { indexUid: 'a', q: 'red lamp' };
          const facetsByIndex = { a: SHOP_FACETS };
          const asked = { groupBy: 'brand', ...page, limit: 1000, facetsByIndex };
          const expected = await one.merged([query], asked);
          const answer = await several.merged([{ ...query, useNetwork: true }], asked);
          expect(withoutRemotes(answer)).toEqual(withoutRemotes(expected));
        },
      ),
      { numRuns: amount(8, 2000) },
    );
  });
});
