/** Goal: equal sets of documents have equal fingerprints whatever their order, others do not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalDocument,
  documentFingerprint,
  FingerprintSum,
  idDigest,
  parseDocument,
} from '../../../src/model/document-fingerprint.ts';

type Doc = Readonly<Record<string, unknown>>;

function sumOf(documents: readonly Doc[]): FingerprintSum {
  const sum = new FingerprintSum();
  for (const document of documents)
    sum.addDocument(idDigest(String(document['id'])), documentFingerprint(document));
  return sum;
}

const documents = fc.uniqueArray(
  fc.record({ id: fc.nat(1000), title: fc.string(), tags: fc.array(fc.json()) }),
  { selector: ({ id }) => id, maxLength: 30 },
);

describe('the canonical form of a document', () => {
  it.each([
    ['members in order of their names', { b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    ['lists in their own order', { a: [2, 1, null, 'x'] }, '{"a":[2,1,null,"x"]}'],
    ['numbers as JavaScript writes them', { a: 1.0, b: 1e3 }, '{"a":1,"b":1000}'],
    ['no vectors', { id: 1, _vectors: { v: [1] } }, '{"id":1}'],
    ['vectors below the top', { a: { _vectors: 1 } }, '{"a":{"_vectors":1}}'],
  ])('has %s', (_, document, expected) => {
    expect(canonicalDocument(document)).toBe(expected);
  });

  it.each([
    ['{"a":9007199254740993}', '{"a":9007199254740993}'],
    ['{"b":[-12345678901234567890, 1]}', '{"b":[-12345678901234567890,1]}'],
    [
      '{"a":"9007199254740993, \\"1234567890123456789"}',
      '{"a":"9007199254740993, \\"1234567890123456789"}',
    ],
    [
      '{"a":0.12345678901234567,"b":1e-1234567890123456,"c":12345678901234567.0}',
      '{"a":0.12345678901234566,"b":0,"c":12345678901234568}',
    ],
  ])('has all digits of integers: %s', (text, expected) => {
    expect(canonicalDocument(parseDocument(text) as Doc)).toBe(expected);
  });

  it('is that of JavaScript for all other values', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        const document = { text, value: JSON.parse(text) as unknown, long: '1234567890123456' };
        expect(parseDocument(JSON.stringify(document))).toEqual(
          JSON.parse(JSON.stringify(document)),
        );
      }),
    );
  });

  it.each(['{"a":00012345678901234567}', '{"a":12345678901234567', '{a:1}'])(
    'does not exist of text that is not JSON: %s',
    (text) => expect(parseDocument(text)).toBeUndefined(),
  );

  it('has a member with the name of the prototype', () => {
    const document = parseDocument('{"__proto__":{"a":1},"id":2}') as Doc;
    expect(canonicalDocument(document)).toBe('{"__proto__":{"a":1},"id":2}');
  });
});

describe('a fingerprint', () => {
  it('is the published hash of each document, summed up', () => {
    // printf '{"id":1}' | sha256sum; printf 1 | sha256sum
    expect(documentFingerprint({ id: 1 })).toBe('037c9214eef74cc3887f3a4f085b4e17');
    expect(idDigest('1').slice(0, 8)).toBe('6b86b273');
    expect(sumOf([{ id: 1 }]).total).toEqual({
      numberOfDocuments: 1,
      fingerprint: documentFingerprint({ id: 1 }),
    });
    expect(sumOf([]).total).toEqual({ numberOfDocuments: 0, fingerprint: '0'.repeat(32) });
  });

  it('does not depend on the order', () => {
    fc.assert(
      fc.property(documents, (list) => {
        expect(sumOf([...list].reverse()).parts).toEqual(sumOf(list).parts);
      }),
    );
  });

  it('changes with each value, and back again', () => {
    fc.assert(
      fc.property(documents, fc.nat(29), (list, at) => {
        const i = at % Math.max(1, list.length);
        if (list.length === 0) return;
        const other = list.map((document, n) => (n === i ? { ...document, extra: 1 } : document));
        expect(sumOf(other).total.fingerprint).not.toBe(sumOf(list).total.fingerprint);
      }),
    );
  });

  it('of a set less some of it is that of the rest', () => {
    fc.assert(
      fc.property(documents, fc.nat(30), (list, cut) => {
        const sum = sumOf(list);
        sum.addParts(sumOf(list.slice(0, cut)).parts, -1);
        expect(sum.parts).toEqual(sumOf(list.slice(cut)).parts);
      }),
    );
  });
});
