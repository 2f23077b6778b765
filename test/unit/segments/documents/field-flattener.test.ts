/**
 * Flattening and positions: the worked examples of the relevance reference (1.3, 1.4), seen through
 * a real segment.
 */
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../../src/model/settings.ts';
import { TestIndex } from '../../indexing/support.ts';

/** Words of one document without its id. */
async function wordsOf(
  document: string | object,
  settings: Partial<Settings> = {},
): Promise<Record<string, string[]>> {
  const index = new TestIndex({ settings });
  const body = typeof document === 'string' ? document : JSON.stringify(document);
  const { results } = await index.apply(index.upsert(`{"id":"zzid",${body.slice(1)}`));
  expect(results[0]?.error).toBeNull();
  const { zzid, ...words } = index.words(0);
  return words;
}

describe('positions of values', () => {
  it('gives words of one value the positions of their separators', async () => {
    expect(await wordsOf({ t: 'Hi, big-world! (ok)' })).toEqual({
      hi: ['t@0'],
      big: ['t@8'],
      world: ['t@9'],
      ok: ['t@17'],
    });
  });

  it('starts every further value eight after the last indexed word, whatever the value', async () => {
    expect(await wordsOf({ t: ['a', null, 'b'] })).toEqual({ a: ['t@0'], b: ['t@16'] });
    expect(await wordsOf({ t: [null, 'a'] })).toEqual({ a: ['t@8'] });
    expect(await wordsOf({ t: ['', 'a'] })).toEqual({ a: ['t@8'] });
    expect(await wordsOf({ t: ['a', [], {}, 'b'] })).toEqual({ a: ['t@0'], b: ['t@24'] });
    expect(await wordsOf({ t: ['a b', ['c']] })).toEqual({ a: ['t@0'], b: ['t@1'], c: ['t@9'] });
  });

  it('counts an array inside an object as a first value of its field', async () => {
    expect(await wordsOf({ o: { tags: ['x', 'y'] } })).toEqual({
      x: ['o.tags@8'],
      y: ['o.tags@16'],
    });
    expect(await wordsOf({ tags: ['x', 'y'] })).toEqual({ x: ['tags@0'], y: ['tags@8'] });
    expect(await wordsOf({ o: { tag: 'x' } })).toEqual({ x: ['o.tag@0'] });
  });

  it('feeds the leaf fields of an array of objects from zero on', async () => {
    expect(await wordsOf({ a: [{ n: 'x' }, { n: 'y', m: 'z' }] })).toEqual({
      x: ['a.n@0'],
      y: ['a.n@8'],
      z: ['a.m@0'],
    });
  });

  it('does not advance over trailing stop words', async () => {
    expect(await wordsOf({ t: ['red the of', 'blue'] }, { stopWords: ['the', 'of'] })).toEqual({
      red: ['t@0'],
      blue: ['t@8'],
    });
  });

  it('drops what lies beyond position 65,535 and keeps the rest', async () => {
    const values = Array.from({ length: 8_300 }, (_, i) =>
      i === 8_191 ? 'last' : i > 8_191 ? 'beyond' : 'x',
    );
    const { last, beyond, fine } = await wordsOf({ t: values, u: 'fine' });
    expect(last).toEqual(['t@65528']);
    expect(beyond).toBeUndefined();
    expect(fine).toEqual(['u@0']);
  });
});

describe('values that are no strings', () => {
  it('indexes numbers and booleans as their text', async () => {
    expect(
      await wordsOf('{"a":5,"b":1.0,"c":true,"d":false,"e":12345678901234567890,"f":null}'),
    ).toEqual({
      '5': ['a@0'],
      '1': ['b@0'],
      '0': ['b@1'],
      true: ['c@0'],
      false: ['d@0'],
      '12345678901234567890': ['e@0'],
    });
  });

  it('prints large, small and negative numbers by the rule for floats', async () => {
    expect(await wordsOf('{"a":1e15}')).toEqual({ '1000000000000000': ['a@0'], '0': ['a@1'] });
    expect(await wordsOf('{"a":1e16}')).toEqual({ '1e': ['a@0'], '16': ['a@1'] });
    expect(await wordsOf('{"a":0.000001}')).toEqual({ '1e': ['a@0'], '6': ['a@1'] });
    expect(await wordsOf('{"a":-7}')).toEqual({ '7': ['a@0'] });
  });
});

describe('fields', () => {
  it('never indexes what lies below the reserved members', async () => {
    const reserved = {
      _vectors: { a: ['x'] },
      _geo: { lat: 1, lng: 2 },
      _geojson: { type: 'Point' },
      o: { _geo: 'y' },
    };
    expect(await wordsOf(reserved)).toEqual({ y: ['o._geo@0'] });
  });

  it('covers a listed field and everything below it, at a dot only', async () => {
    const document = {
      title: { en: 'a', fr: 'b' },
      titles: 'c',
      o: { p: 'd', q: 'e' },
      'o.p': 'f',
    };
    expect(await wordsOf(document, { searchableAttributes: ['title', 'o.p'] })).toEqual({
      a: ['title.en@0'],
      b: ['title.fr@0'],
      d: ['o.p@0'],
      f: ['o.p@8'],
    });
    expect(await wordsOf(document, { searchableAttributes: [] })).toEqual({});
    expect(
      Object.keys(await wordsOf(document, { searchableAttributes: ['title', '*'] })),
    ).toHaveLength(6);
  });

  it('takes names such as __proto__, empty ones and ones with escapes as plain names', async () => {
    expect(await wordsOf('{"__proto__":{"constructor":"a"},"":"b","\\u0061":"c"}')).toEqual({
      a: ['__proto__.constructor@0'],
      b: ['@0'],
      c: ['a@0'],
    });
  });

  it('reads escapes, and half surrogate pairs as replacement characters', async () => {
    expect(await wordsOf('{"a":"\\u00e9t\\u00e9 x\\ny"}')).toEqual({
      ete: ['a@0'],
      x: ['a@1'],
      y: ['a@2'],
    });
    expect(Object.keys(await wordsOf('{"a":"one \\ud800 two"}'))).toEqual(
      expect.arrayContaining(['one', 'two']),
    );
  });
});
