/** Documents of other indexes in hits of several instances. */
import { describe, expect, it } from 'vitest';
import { type DocumentOf, documentsById, joinedHit } from '../../../src/network/joined-hits.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const KNOWN: Readonly<Record<string, string>> = { '1': '{"id":1.0}', bob: '{"id":"bob"}' };
const known: DocumentOf = (id) => {
  const text = KNOWN[id];
  return text === undefined ? null : bytesOf(text);
};
const joined = (hit: string, ...fields: string[]): string =>
  textOf(joinedHit(bytesOf(hit), new Map(fields.map((field) => [field, known]))));

describe('a hit', () => {
  it.each([
    ['{"by":1,"a":1.0}', '{"by":{"id":1.0},"a":1.0}'],
    ['{"by":["bob",7,null,[1]]}', '{"by":[{"id":"bob"},7,null,[{"id":1.0}]]}'],
    ['{"by":"no id"}', '{"by":"no id"}'],
    ['{"cast":[{"actor":1},{"actor":"x"}]}', '{"cast":[{"actor":{"id":1.0}},{"actor":"x"}]}'],
    ['{}', '{}'],
  ])('%s has documents at its foreign keys', (hit, expected) => {
    expect(joined(hit, 'by', 'cast.actor')).toBe(expected);
  });

  it('has them in _formatted too, where ids are texts that may be highlighted', () => {
    expect(joined('{"by":[7,1],"_formatted":{"by":["7","<em>1</em>"]}}', 'by')).toBe(
      '{"by":[7,{"id":1.0}],"_formatted":{"by":["7",{"id":1.0}]}}',
    );
    expect(joined('{"_formatted":{"by":"1"}}', 'by')).toBe('{"_formatted":{"by":{"id":1.0}}}');
  });
});

describe('documents of an instance', () => {
  const read = (results: string, primaryKey: string) =>
    [...documentsById({ results: bytesOf(results), total: 1 }, primaryKey, 'far')].map(
      ([id, document]) => [id, textOf(document)],
    );

  it('are found by their primary key, also as a path', () => {
    expect(read('{"id":1.0,"k":"a"},{"k":7}', 'k')).toEqual([
      ['a', '{"id":1.0,"k":"a"}'],
      ['7', '{"k":7}'],
    ]);
    expect(read('{"a":{"b":1}}', 'a.b')).toEqual([['1', '{"a":{"b":1}}']]);
    expect(read('{"a.b":1}', 'a.b')).toEqual([['1', '{"a.b":1}']]);
    expect(read('', 'id')).toEqual([]);
  });

  it.each(['{}', '1', '{"id":null}', '{"id":"1\\"] OR a = 1"}', '{"id":1.5}', '{"id":1},'])(
    'are refused when one has no valid id: %s',
    (results) => {
      expect(() => read(results, 'id')).toThrow(
        expect.objectContaining({
          code: 'remote_bad_response',
          message: 'The answer of `far` has a document without an id in `id`.',
        }),
      );
    },
  );
});
