/** Query strings become the JSON values that schemas check. */
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { decodeQueryString } from '../../../src/http/query-string.ts';
import {
  anything,
  closed,
  count,
  flag,
  ratio,
  strings,
  text,
} from '../../../src/model/schemas/schema.ts';

const code = 'bad_request';
const schema = closed({
  n: count(code),
  b: flag(code),
  r: ratio(code),
  l: strings(code),
  t: text(code),
  any: Type.Boolean({ text: 'anyCaseBoolean' }),
  v: Type.Array(Type.Number(), { text: 'numbers' }),
  j: anything({ text: 'jsonOrText' }),
  s: Type.Array(Type.String(), { text: 'sort' }),
});
const decode = (queryString: string) => ({ ...decodeQueryString(queryString, schema) });

describe('decodeQueryString', () => {
  it.each([
    ['', {}],
    ['&&', {}],
    ['n=12&b=true&r=0.5&t=a%20b+c', { n: 12, b: true, r: 0.5, t: 'a b c' }],
    ['n=007', { n: 7 }],
    ['n=%2B7', { n: 7 }],
    ['n=+7', { n: ' 7' }],
    ['n=-1', { n: '-1' }],
    ['n=1.5', { n: '1.5' }],
    ['n=', { n: '' }],
    ['n', { n: '' }],
    ['n=9007199254740991', { n: Number.MAX_SAFE_INTEGER }],
    ['n=18446744073709551615', { n: 2 ** 64 }],
    ['n=18446744073709551616', { n: '18446744073709551616' }],
    ['b=True', { b: 'True' }],
    ['any=TRUE', { any: true }],
    ['r=1e-1', { r: 0.1 }],
    ['r=Infinity', { r: 'Infinity' }],
    ['l=a,b%2Cc', { l: ['a', 'b', 'c'] }],
    ['l=', { l: [] }],
    ['v=1, 2.5,x', { v: [1, 2.5, 'x'] }],
    ['j=["a = 1"]', { j: ['a = 1'] }],
    ['j=a = 1', { j: 'a = 1' }],
    ['j=null', { j: 'null' }],
    ['s=_geoPoint(1, 2):asc,title:desc', { s: ['_geoPoint(1, 2):asc', 'title:desc'] }],
    ['s=_geoPoint(1,2', { s: ['_geoPoint(1', '2'] }],
    ['s=', { s: [''] }],
    ['s=title:asc,', { s: ['title:asc', ''] }],
    ['unknown=1', { unknown: '1' }],
    ['t=a=b', { t: 'a=b' }],
    ['t=1&t=2', { t: '2' }],
  ])('%j', (queryString, expected) => {
    expect(decode(queryString)).toEqual(expected);
  });

  it('keeps a percent sign that begins no escape, and replaces bytes that are not UTF-8', () => {
    expect(decode('t=100%')).toEqual({ t: '100%' });
    expect(decode('t=%zz+a%2Bb')).toEqual({ t: '%zz a+b' });
    expect(decode('t=%ff')).toEqual({ t: '\ufffd' });
    expect(decode('%=1')).toEqual({ '%': '1' });
  });

  it('keeps a parameter named __proto__ as a plain member', () => {
    expect(Object.keys(decodeQueryString('__proto__=1&constructor=2', schema))).toEqual([
      '__proto__',
      'constructor',
    ]);
  });

  it('takes linear time for a sort of 3,000,000 commas', () => {
    const { s } = decode(`s=(${','.repeat(3_000_000)}`) as { readonly s: readonly string[] };
    expect(s).toHaveLength(3_000_001);
  });

  it('does not parse a filter of 20,000 nested arrays', () => {
    expect(decode(`j=${'['.repeat(20_000)}`)).toEqual({ j: '['.repeat(20_000) });
  });
});
