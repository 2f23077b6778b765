/**
 * `attributeRank` (relevance.md 3.8), and which words `attributesToSearchOn` leaves (2.7).
 */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { indexDocuments, searchBuckets, searchDetails, searchIds } from '../../support/search.ts';

const documents = [
  { id: 'body', title: 'x', body: 'red sky' },
  { id: 'mixed', title: 'red', body: 'sky' },
  { id: 'title', title: 'red sky' },
  { id: 'both', title: 'sky', body: 'red sky' },
];
const rankingRules = ['words', 'attributeRank'];
const score = (...asked: Parameters<typeof searchDetails>) =>
  Object.fromEntries(
    [...searchDetails(...asked)].map(([id, d]) => [String(id), d['attributeRank']?.['score']]),
  );

describe('attributeRank', () => {
  it('separates nothing while all attributes are searchable by default', () => {
    expect(score(indexDocuments(documents), { q: 'red sky ' })).toEqual({
      body: 1,
      mixed: 1,
      title: 1,
      both: 1,
    });
  });

  it('costs the sum over the words of the weight of their best attribute', () => {
    const index = indexDocuments(documents, {
      rankingRules,
      searchableAttributes: ['title', 'body'],
    });
    expect(searchBuckets(index, 'attributeRank', { q: 'red sky ' })).toEqual([
      ['title'],
      ['mixed', 'both'],
      ['body'],
    ]);
    expect(score(index, { q: 'red sky ' })).toEqual({
      title: 1,
      mixed: 2 / 3,
      both: 2 / 3,
      body: 1 / 3,
    });
  });

  it('weighs nested fields as the attribute that covers them', () => {
    const nested = [
      { id: 'second', b: { c: 'red' } },
      { id: 'first', a: { d: { e: 'red' } } },
    ];
    expect(
      score(indexDocuments(nested, { searchableAttributes: ['a', 'b'] }), { q: 'red ' }),
    ).toEqual({
      first: 1,
      second: 1 / 2,
    });
  });

  it('costs an ngram the weight of its attribute once for each of its words', () => {
    const index = indexDocuments([{ id: 'one', body: 'sunflower' }], {
      searchableAttributes: ['title', 'note', 'body'],
    });
    expect(score(index, { q: 'sun flower ' })).toEqual({ one: 1 / 5 });
  });
});

describe('attributesToSearchOn', () => {
  const index = indexDocuments(documents, { searchableAttributes: ['title', 'body'] });

  it('bounds where words count, and keeps the weights', () => {
    expect(searchIds(index, { q: 'red ', attributesToSearchOn: ['title'] }).sort()).toEqual([
      'mixed',
      'title',
    ]);
    expect(score(index, { q: 'red ', attributesToSearchOn: ['body'] })).toEqual({
      body: 1 / 2,
      both: 1 / 2,
    });
  });

  it('means the same in whatever order its names stand', () => {
    const one = searchDetails(index, { q: 'red sky', attributesToSearchOn: ['title', 'body'] });
    expect([
      ...searchDetails(index, { q: 'red sky', attributesToSearchOn: ['body', 'title'] }),
    ]).toEqual([...one]);
  });

  it('matches nothing when empty and everything with *', () => {
    expect(searchIds(index, { q: 'red', attributesToSearchOn: [] })).toEqual([]);
    expect(searchIds(index, { q: 'red', attributesToSearchOn: ['*'] })).toEqual(
      searchIds(index, { q: 'red' }),
    );
    expect(searchIds(index, { q: 'red', attributesToSearchOn: ['title', '*'] })).toEqual(
      searchIds(index, { q: 'red' }),
    );
  });

  it('does not bind a placeholder search', () => {
    expect(searchIds(index, { q: '', attributesToSearchOn: [] })).toHaveLength(4);
  });

  it('refuses unknown names when searchable attributes are user-defined, with * too', () => {
    for (const names of [['nope'], ['title', 'nope'], ['*', 'nope'], ['no*']]) {
      expect(() => searchIds(index, { q: 'red', attributesToSearchOn: names })).toThrowError(
        ApiError,
      );
    }
    expect(() => searchIds(index, { q: 'red', attributesToSearchOn: ['nope'] })).toThrowError(
      /`nope`/,
    );
  });

  it('ignores unknown names otherwise', () => {
    const open = indexDocuments(documents);
    expect(searchIds(open, { q: 'red', attributesToSearchOn: ['nope'] })).toEqual([]);
    expect(searchIds(open, { q: 'red', attributesToSearchOn: ['nope', 'title'] }).sort()).toEqual([
      'mixed',
      'title',
    ]);
  });

  it('names exact paths: nested ones by themselves or by a pattern', () => {
    const nested = indexDocuments(
      [
        { id: 'top', t: 'red' },
        { id: 'below', t: { s: 'red' } },
      ],
      { searchableAttributes: ['t'] },
    );
    const on = (...names: string[]) => searchIds(nested, { q: 'red', attributesToSearchOn: names });
    expect(on('t')).toEqual(['top']);
    expect(on('t.s')).toEqual(['below']);
    expect(on('t.*')).toEqual(['below']);
    expect(on('*.s')).toEqual(['below']);
    expect(on('t*')).toEqual(['top', 'below']);
  });

  it('may name an object below a searchable attribute, which has no words of its own', () => {
    const nested = indexDocuments(
      [
        { id: 'a', t: { s: { u: 'red' } }, o: { p: 'red' } },
        { id: 'b', t: { list: [{ k: 'red' }] } },
      ],
      { searchableAttributes: ['t', 'o.p'] },
    );
    const on = (...names: string[]) => searchIds(nested, { q: 'red', attributesToSearchOn: names });
    expect(on('t.s')).toEqual([]);
    expect(on('t.list', 't.s.u')).toEqual(['a']);
    for (const name of ['t.x', 't.s.u.v', 'o']) expect(() => on(name)).toThrowError(`\`${name}\``);
  });

  it('bounds neither distances nor positions', () => {
    const apart = indexDocuments(
      [
        { id: 'one', title: 'x x x sky x x x x red', body: 'red sky' },
        { id: 'two', title: 'x x x sky x x x x red', body: '' },
      ],
      { searchableAttributes: ['title', 'body'] },
    );
    const details = searchDetails(apart, { q: 'red sky ', attributesToSearchOn: ['title'] });
    expect(details.get('one')?.['proximity']?.['score']).toBe(1);
    expect(details.get('two')?.['proximity']?.['score']).toBe(1 / 4);
    expect(details.get('one')?.['wordPosition']?.['score']).toBe(1);
  });

  it('bounds exclusions', () => {
    expect(searchIds(index, { q: '-red', attributesToSearchOn: ['title'] })).toEqual([
      'body',
      'both',
    ]);
  });
});
