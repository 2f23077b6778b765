/** The setting `substringAttributes` (relevance.md 2.9): values are found by any part of them. */
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../src/model/settings.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';
import { search, searchDetails, searchIds } from '../../support/search.ts';

const parts = [
  { id: 'pump', sku: 'AB-1234', name: 'Pump for ponds' },
  { id: 'code', sku: 'foo_bar', name: 'A library' },
  { id: 'relay', sku: '4-GE-2', name: 'Relay' },
  { id: 'spare', sku: 'AB-9', name: 'Spare part of AB-1234' },
];
const bySku = { substringAttributes: ['sku'] };
const index = (settings: Partial<Settings> = bySku) =>
  buildSnapshot({ documents: parts, settings });

describe('substrings', () => {
  it('are not found unless the settings name the attribute', () => {
    expect(searchIds(index({}), { q: 'B-12', matchingStrategy: 'all' })).toEqual([]);
  });

  it.each([
    ['1234', ['pump', 'spare']],
    ['B-12', ['pump']],
    ['b-12', ['pump']],
    ['o_ba', ['code']],
    ['O_BAR', ['code']],
    ['GE-2', ['relay']],
    ['-GE-2'.slice(1), ['relay']],
    ['4-G', ['relay']],
    ['oo_', ['code']],
  ])('find %s', (q, ids) => {
    expect(searchIds(index(), { q, matchingStrategy: 'all' })).toEqual(ids);
  });

  it('have three characters at least', () => {
    expect(searchIds(index(), { q: 'oo' })).toEqual([]);
    expect(searchIds(index(), { q: 'oo_' })).toEqual(['code']);
  });

  it('contain separators as they were typed', () => {
    expect(searchIds(index(), { q: 'B_12', matchingStrategy: 'all' })).toEqual([]);
    expect(searchIds(index(), { q: '"B-12"' })).toEqual([]);
  });

  it('meet the other words of the query', () => {
    expect(searchIds(index(), { q: 'ponds B-12', matchingStrategy: 'all' })).toEqual(['pump']);
    expect(searchIds(index(), { q: 'B-12 ponds', matchingStrategy: 'all' })).toEqual(['pump']);
    expect(searchIds(index(), { q: 'relay B-12', matchingStrategy: 'all' })).toEqual([]);
    expect(searchIds(index(), { q: 'library B-12', matchingStrategy: 'last' })).toEqual(['code']);
  });

  it('count in the attributes that the request searches', () => {
    const q = 'B-12';
    const both = index({ substringAttributes: ['*'] });
    expect(searchIds(both, { q, attributesToSearchOn: ['name'] })).toEqual(['spare']);
    expect(searchIds(both, { q, attributesToSearchOn: ['sku'] })).toEqual(['pump']);
  });

  it('rank behind words, prefixes and typos', () => {
    const documents = [
      { id: 'inside', text: 'xyzcabinetsx' },
      { id: 'twoTypos', text: 'cobinetz' },
      { id: 'oneTypo', text: 'cabinetz' },
      { id: 'word', text: 'cabinets' },
      { id: 'prefix', text: 'cabinetsful' },
    ];
    const settings = {
      substringAttributes: ['text'],
      typoTolerance: {
        enabled: true,
        minWordSizeForTypos: { oneTypo: 3, twoTypos: 4 },
        disableOnWords: [],
        disableOnAttributes: [],
        disableOnNumbers: false,
      },
    };
    const snapshot = buildSnapshot({ documents, settings });
    const ids = ['word', 'prefix', 'oneTypo', 'twoTypos', 'inside'];
    expect(searchIds(snapshot, { q: 'cabinets' })).toEqual(ids);
    const details = searchDetails(snapshot, { q: 'cabinets' });
    expect(ids.map((id) => details.get(id)?.['typo']?.['typoCount'])).toEqual([0, 0, 1, 2, 3]);
    expect(details.get('inside')?.['exactness']?.['matchType']).toBe('noExactMatch');
  });

  it('are found in attributes and indexes without typo tolerance', () => {
    const typoTolerance = {
      enabled: false,
      minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
      disableOnWords: ['12'],
      disableOnAttributes: ['sku'],
      disableOnNumbers: true,
    };
    expect(searchIds(index({ ...bySku, typoTolerance }), { q: 'B-12' })).toEqual(['pump']);
    expect(
      searchIds(index({ ...bySku, typoTolerance: { ...typoTolerance, enabled: true } }), {
        q: '234',
      }),
    ).toEqual(['pump']);
  });

  it.each(['last', 'all', 'frequency', 'any'] as const)('are found by the strategy %s', (way) => {
    expect(searchIds(index(), { q: 'o_ba', matchingStrategy: way })).toEqual(['code']);
    for (const rankingRules of [['relevance'], ['words', 'attribute', 'proximity', 'exactness']]) {
      const snapshot = index({ ...bySku, rankingRules });
      expect(searchIds(snapshot, { q: 'library o_ba', matchingStrategy: way })).toEqual(['code']);
    }
  });

  it('ignore case and marks of letters', () => {
    const documents = [
      { id: 1, text: 'Oﬃce_ÄRMEL' },
      { id: 2, text: '/srv/Événements/été.PDF' },
    ];
    const snapshot = buildSnapshot({ documents, settings: { substringAttributes: ['text'] } });
    expect(searchIds(snapshot, { q: 'ice_arm' })).toEqual([1]);
    expect(searchIds(snapshot, { q: 'FICE_' })).toEqual([1]);
    expect(searchIds(snapshot, { q: 'ements/ete.p' })).toEqual([2]);
  });

  it('are found in numbers, arrays and fields below the attribute', () => {
    const documents = [
      { id: 1, part: { number: 7_712_345, old: ['zz-81-x', 'yy-82-x'] } },
      { id: 2, part: { number: 99 } },
    ];
    const snapshot = buildSnapshot({ documents, settings: { substringAttributes: ['part'] } });
    expect(searchIds(snapshot, { q: '1234' })).toEqual([1]);
    expect(searchIds(snapshot, { q: 'y-82' })).toEqual([1]);
  });

  it('are the first 10,000 values in byte order, whatever the layout of segments', () => {
    const documents = Array.from({ length: 10_050 }, (_, i) => ({
      id: i,
      text: `x-needle-${String((i * 7919) % 10_050).padStart(5, '0')}`,
    }));
    const settings = { substringAttributes: ['text'], pagination: { maxTotalHits: 20_000 } };
    const found = [1, 3].map((segmentCount) =>
      searchIds(buildSnapshot({ documents, settings, segmentCount }), {
        q: 'eedle',
        limit: 20_000,
      }),
    );
    expect(found[0]).toHaveLength(10_000);
    expect(found[1]).toEqual(found[0]);
    const last = documents.filter(({ text }) => text > 'x-needle-09999').map(({ id }) => id);
    expect(found[0]).not.toContain(last[0]);
    expect(last).toHaveLength(50);
  });

  it('leave out what stands behind the 240th byte of a chunk', () => {
    const documents = [{ id: 1, text: `${'a'.repeat(200)}-needle-${'b'.repeat(60)}-needed` }];
    const snapshot = buildSnapshot({ documents, settings: { substringAttributes: ['text'] } });
    expect(searchIds(snapshot, { q: 'eedle' })).toEqual([1]);
    expect(searchIds(snapshot, { q: 'eeded' })).toEqual([]);
  });
});

const marked = (text: string, q: string, substringAttributes = ['text']): unknown =>
  search(
    buildSnapshot({
      documents: [{ id: 1, text, other: text }],
      settings: { substringAttributes },
    }),
    { q, attributesToHighlight: ['text'] },
  ).hits[0]?.['_formatted'];

describe('highlights of substrings', () => {
  it.each([
    ['AB-1234', 'B-12', 'A<em>B-12</em>34'],
    ['see foo_bar and foo_bar', 'o_ba', 'see fo<em>o_ba</em>r and fo<em>o_ba</em>r'],
    ['4-GE-2', 'ge-2', '4-<em>GE-2</em>'],
    ['x4-GE-2 pumps', 'pump GE-2', 'x4-<em>GE-2</em> <em>pump</em>s'],
    ['Oﬃce_ÄRMEL', 'ice_ar', 'O<em>ﬃce_ÄR</em>MEL'],
    ['日本 Größe_ÄRMEL', 'oße', '日本 Gr<em>öße</em>_ÄRMEL'],
    ['abcabcabc', 'cab', 'ab<em>cab</em><em>cab</em>c'],
  ])('of %s by %s', (text, q, formatted) => {
    expect(marked(text, q)).toMatchObject({ text: formatted });
  });

  it('stand in the attributes of the setting alone', () => {
    expect(marked('AB-1234 xx', 'B-12 xx', ['other'])).toMatchObject({
      text: 'AB-1234 <em>xx</em>',
    });
  });

  it('have positions, and crops around them', () => {
    const snapshot = buildSnapshot({
      documents: [{ id: 1, text: 'one two three four AB-1234 five six seven' }],
      settings: { substringAttributes: ['text'] },
    });
    const request = { q: 'B-12', showMatchesPosition: true, attributesToCrop: ['text:4'] };
    const [hit] = search(snapshot, request).hits;
    expect(hit?.['_matchesPosition']).toEqual({ text: [{ start: 20, length: 4 }] });
    expect(hit?.['_formatted']).toMatchObject({ text: '…four AB-1234 five…' });
  });
});
