/** What other instances answer, cut into parts that can be merged; nonsense is refused by name. */
import { describe, expect, it } from 'vitest';
import { FacetOrders, mergeFacets } from '../../../src/model/federated-facets.ts';
import { readDocumentsPage } from '../../../src/network/documents-page.ts';
import { readRemoteAnswer } from '../../../src/network/remote-answer.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const read = (json: string) => readRemoteAnswer(bytesOf(json), 'far');

const hit = (position: number, score: number, more = ''): string =>
  `{"id":1.0,"_federation":{"indexUid":"films","queriesPosition":${position},"weightedRankingScore":${score}${more}}}`;

/** The facets of an answer; `distribution` and `stats` as they stand there. */
const facetsIn = (distribution: string, stats = '{}') =>
  read(
    `{"hits":[],"estimatedTotalHits":0,"facetsByIndex":{"films":{"distribution":${distribution},"stats":${stats}}}}`,
  ).facets;

describe('the answer of a remote', () => {
  it('has hits whose own members stay the bytes they are', () => {
    const { hits, bytes, candidateCount } = read(
      `{"hits":[${hit(3, 0.5)},${hit(0, 0.25)}],"estimatedTotalHits":7}`,
    );
    expect(candidateCount).toBe(7);
    expect(hits.map(({ position, score: { total } }) => [position, total])).toEqual([
      [3, 0.5],
      [0, 0.25],
    ]);
    expect(hits.map(({ start, end }) => textOf(bytes.subarray(start, end)))).toEqual([
      '{"id":1.0,"_federation":{"indexUid":"films","queriesPosition":3,"weightedRankingScore":0.5,"remote":"far"}}',
      '{"id":1.0,"_federation":{"indexUid":"films","queriesPosition":0,"weightedRankingScore":0.25,"remote":"far"}}',
    ]);
  });

  it('is ranked by its weighted scores where one of the values it was ranked by is none', () => {
    const score = '{"kind":"score","value":0.5}';
    const told = hit(0, 0.25, `,"weightedScoreValues":[${score}]`);
    const spoilt = hit(0, 0.25, `,"weightedScoreValues":[${score},{"kind":"field"}]`);
    const { hits } = read(`{"hits":[${told},${spoilt}],"totalHits":2}`);
    expect(hits.map(({ score: { elements } }) => elements)).toEqual([
      [{ kind: 'score', value: 0.5 }],
      [{ kind: 'score', value: 0.25 }],
    ]);
  });

  it('has the last of members of one name, hits too', () => {
    const { hits, bytes } = read(
      `{"hits":[],"estimatedTotalHits":0,"hits":[${hit(1, 0.5)}],"estimatedTotalHits":1}`,
    );
    expect(hits).toHaveLength(1);
    expect(JSON.parse(textOf(bytes))).toMatchObject({ id: 1, _federation: { queriesPosition: 1 } });
  });

  it('has vectors of numbers alone', () => {
    const { queryVectors } = read(
      '{"hits":[],"estimatedTotalHits":0,"queryVectors":{"0":[1,2],"1":["a"],"2":{}}}',
    );
    expect([...queryVectors]).toEqual([[0, Float32Array.of(1, 2)]]);
  });

  it.each([
    ['no json', 'it is no JSON'],
    ['[]', 'it is no object'],
    ['{"estimatedTotalHits":1}', 'it has no list of hits'],
    ['{"hits":{},"estimatedTotalHits":1}', 'it has no list of hits'],
    ['{"hits":[]}', 'it does not say how many hits there are'],
    ['{"hits":[{"id":1}],"totalHits":1}', 'a hit is none'],
    ['{"hits":[1],"totalHits":1}', 'a hit is none'],
  ])('%s is refused', (body, problem) => {
    expect(() => read(body)).toThrow(
      `The answer of \`far\` is not a federated search: ${problem}.`,
    );
  });
});

describe('groups of a remote', () => {
  const grouped = (facts: string, preceding = '[]', count = 0) =>
    readRemoteAnswer(
      bytesOf(
        `{"hits":[],"estimatedTotalHits":0,"totalDocuments":5,"groupFacts":${facts},"precedingGroups":${preceding}}`,
      ),
      'far',
      count,
    ).groups;

  it('have the values of its documents, and documents of the groups asked for', () => {
    const facts =
      '{"films":{"combinations":[["string a"],["string a","number 1"]],"loneCount":2,"facets":{"genre":[["drama",[0,1],1]]}}}';
    const member = hit(1, 0.5, ',"group":{"document":"films 7","value":"A"}');
    const groups = grouped(facts, `[{"count":3,"hits":[${member}]},{"count":0,"hits":[]}]`, 2);
    expect(groups?.documentCount).toBe(5);
    expect(groups?.facts.get('films')).toEqual({
      combinations: [['string a'], ['string a', 'number 1']],
      loneCount: 2,
      facets: new Map([['genre', new Map([['drama', { combinations: [0, 1], loneCount: 1 }]])]]),
    });
    expect(groups?.preceding.map(({ count, hits }) => [count, hits.length])).toEqual([
      [3, 1],
      [0, 0],
    ]);
    expect(groups?.preceding[0]?.hits[0]?.group).toEqual({ document: 'films 7', value: 'A' });
  });

  it.each([
    ['null', null],
    ['{"combinations":null,"loneCount":0,"facets":null}', null],
    ['{"combinations":[[]],"loneCount":0,"facets":null}', null],
    ['{"combinations":[[1]],"loneCount":0,"facets":null}', null],
    ['{"combinations":[["a"]],"loneCount":"1","facets":null}', null],
    ['{"combinations":[["a"]],"loneCount":1,"facets":{"genre":[["drama",[1],0]]}}', [['a']]],
    ['{"combinations":[["a"]],"loneCount":1,"facets":{"genre":[["drama",[0]]]}}', [['a']]],
  ])('with the values %s are unknown', (facts, combinations) => {
    const own = grouped(`{"films":${facts}}`)?.facts.get('films');
    expect([own?.combinations, own?.facets]).toEqual([combinations, null]);
  });

  it.each([
    ['[]', '[]', 0],
    ['{}', '{}', 0],
    ['{}', '[]', 1],
    ['{}', '[{"count":1}]', 1],
    ['{}', '[{"hits":[]}]', 1],
    ['{}', '[1]', 1],
  ])('are refused if they lack what was asked for: %s %s', (facts, preceding, count) => {
    expect(() => grouped(facts, preceding, count)).toThrow(
      'The answer of `far` is not a federated search: it has no groups of several instances, which its version may not know.',
    );
  });
});

describe('facets of a remote', () => {
  it('keep the order of their values, of those too that look like integers', () => {
    const [films] = facetsIn(
      '{"year":{"2021":3,"1999":2,"old":"many"}}',
      '{"year":{"min":1999,"max":2021},"size":{"min":"1","max":2}}',
    );
    const [year] = films?.tables ?? [];
    expect([...(year?.values ?? [])]).toEqual([
      ['2021', 3],
      ['1999', 2],
    ]);
    expect(year).toMatchObject({ path: 'year', order: 'count', stats: { min: 1999, max: 2021 } });
  });

  it('do not conflict with those of another index, whose settings tell the order', () => {
    const [films = { indexUid: '', tables: [] }] = facetsIn('{"genre":{"drama":2,"music":1}}');
    const values = new Map([
      ['western', 4],
      ['drama', 1],
    ]);
    const own = { path: 'genre', order: 'count', isOrderSet: true, values, stats: null } as const;
    const here = { indexUid: 'here', tables: [own] };
    const orders = new FacetOrders();
    expect([orders.add(films), orders.add(here)]).toEqual([null, null]);
    const [genre] = mergeFacets([films, here], null);
    expect([...(genre?.values ?? [])]).toEqual([
      ['western', 4],
      ['drama', 3],
      ['music', 1],
    ]);
  });

  it('are ordered by count where those of one instance cannot be alphabetical', () => {
    const both = [...facetsIn('{"genre":{"drama":2}}'), ...facetsIn('{"genre":{"war":5,"art":3}}')];
    const [genre] = mergeFacets(both, null);
    expect([...(genre?.values.keys() ?? [])]).toEqual(['war', 'art', 'drama']);
  });
});

describe('a page of documents of a remote', () => {
  it('has the bytes of its documents and their number on all pages', () => {
    const page = readDocumentsPage(bytesOf('{"results":[{"a":1.0}, {"a":2}],"total":9}'), 'far');
    expect([textOf(page.results), page.total]).toEqual(['{"a":1.0}, {"a":2}', 9]);
  });

  it.each([
    ['no json', 'it is no JSON'],
    ['{"total":1}', 'it has no list of documents'],
    ['{"results":[]}', 'it does not say how many documents there are'],
    ['{"results":[],"total":-1}', 'it does not say how many documents there are'],
    ['{"results":[],"total":"1"}', 'it does not say how many documents there are'],
  ])('%s is refused', (body, problem) => {
    expect(() => readDocumentsPage(bytesOf(body), 'far')).toThrow(
      `The answer of \`far\` is not a page of documents: ${problem}.`,
    );
  });
});
