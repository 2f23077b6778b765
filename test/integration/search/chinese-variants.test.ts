/**
 * Simplified, traditional and Japanese forms of Chinese characters match each other, in words, in
 * filters and in facet search.
 */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import { searchFacet } from '../../../src/search/facet-search.ts';
import { indexDocuments, indexTexts, search, searchIds } from '../../support/search.ts';
import { searchRequest } from '../../support/search-request.ts';

const texts = {
  simplified: '电脑软件',
  traditional: '電腦軟件',
  island: '臺灣的山',
  islandToo: '台湾的海',
  chinese: '进击的巨人',
  japanese: '進撃の巨人',
};

describe('words', () => {
  const index = indexTexts(texts);

  it.each([
    ['电脑', ['simplified', 'traditional']],
    ['電腦', ['simplified', 'traditional']],
    ['台灣', ['island', 'islandToo']],
    ['进击', ['chinese', 'japanese']],
    ['進擊', ['chinese', 'japanese']],
    ['進撃', ['chinese', 'japanese']],
  ])('%s finds all forms', (q, ids) => {
    expect(searchIds(index, { q, matchingStrategy: 'all' }).sort()).toEqual(ids);
  });

  it('are marked as the text spells them', () => {
    const { hits } = search(index, { q: '電腦 ', attributesToHighlight: ['text'] });
    const marked = hits.map((hit) => (hit['_formatted'] as { text: string }).text).sort();
    // The dictionary that joins highlighted tokens has simplified words.
    expect(marked).toEqual(['<em>电脑</em>软件', '<em>電</em><em>腦</em>軟件']);
  });

  it('match with a language list without Chinese and Japanese', () => {
    expect(searchIds(index, { q: '電腦', locales: ['eng'], matchingStrategy: 'all' })).toHaveLength(
      2,
    );
  });

  it('keep their forms when the language is Japanese', () => {
    const localizedAttributes = [{ attributePatterns: ['*'], locales: ['jpn'] }];
    const japanese = indexTexts({ own: '図書館', other: '圖書館' }, { localizedAttributes });
    expect(searchIds(japanese, { q: '図書館' })).toEqual(['own']);
  });
});

describe('filters', () => {
  const documents = Object.entries(texts).map(([id, tag]) => ({ id, tag }));
  const index = indexDocuments(documents, { filterableAttributes: ['tag'] });

  it.each([
    ['tag = 电脑软件', ['simplified', 'traditional']],
    ['tag = 電脑軟件', ['simplified', 'traditional']],
    ['tag IN [台湾的山, 進擊的巨人]', ['chinese', 'island']],
    ['tag STARTS WITH 臺湾', ['island', 'islandToo']],
    ['tag CONTAINS 擊', ['chinese', 'japanese']],
    ['tag != 电脑软件 AND tag NOT CONTAINS 巨人', ['island', 'islandToo']],
  ])('%s select all forms', (filter, ids) => {
    expect(searchIds(index, { filter, containsFilter: true }).sort()).toEqual(ids);
  });

  it('of more values than the attribute has select all forms', () => {
    const values = ['电脑软件', ...Array.from({ length: 20 }, (_, i) => `無${i}`)];
    const filter = `tag IN [${values.join(', ')}]`;
    expect(searchIds(index, { filter }).sort()).toEqual(['simplified', 'traditional']);
  });

  it('keep the forms of an attribute in Japanese', () => {
    const localizedAttributes = [{ attributePatterns: ['tag'], locales: ['jpn'] }];
    const japanese = indexDocuments(documents, {
      filterableAttributes: ['tag'],
      localizedAttributes,
    });
    expect(searchIds(japanese, { filter: 'tag = 電腦軟件' })).toEqual(['traditional']);
  });
});

describe('facet search', () => {
  it('finds the values of all forms, each as it is spelt', () => {
    const index = indexDocuments(
      Object.entries(texts).map(([id, tag]) => ({ id, tag })),
      { filterableAttributes: ['tag'] },
    );
    const request = { facetName: 'tag', facetQuery: '電脑', search: searchRequest({}) };
    const found = searchFacet(index, request, Deadline.never()).map(({ value }) => value);
    expect(found.sort()).toEqual(['电脑软件', '電腦軟件']);
  });
});
