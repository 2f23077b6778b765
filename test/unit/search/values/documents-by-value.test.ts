/** Order of documents by value, found by a walk of the values or by look-ups of the documents. */
import { describe, expect, it } from 'vitest';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';
import { DocumentsByValue } from '../../../../src/search/values/documents-by-value.ts';
import { buildPlacedSnapshot } from '../../../support/build-snapshot.ts';

const COUNT = 2000;

/** Document `d` has the value `d mod 700`; the last hundred documents are deleted. */
function numbers() {
  const copies = Array.from({ length: COUNT }, (_, docId) => ({
    docId,
    document: { id: docId, v: docId % 700 },
    isDead: docId >= COUNT - 100,
  }));
  const { columns, dead, bitsetLength } = buildPlacedSnapshot({
    segments: [copies],
    settings: { sortableAttributes: ['v'] },
  });
  return { values: columns[0]![0]!.column('v')!.numbers, dead: dead[0]!, bitsetLength };
}

const byHand = (docs: readonly number[], isAscending: boolean): number[] => {
  const living = docs.filter((doc) => doc < COUNT - 100);
  return living.sort((a, b) => (isAscending ? 1 : -1) * ((a % 700) - (b % 700)) || a - b);
};

function taken(docs: readonly number[], isAscending: boolean): number[] {
  const { values, dead, bitsetLength } = numbers();
  const order = new DocumentsByValue(values, { dead, isAscending });
  const bits = new Uint32Array(bitsetLength);
  for (const doc of docs) bits[doc >>> 5]! |= 1 << (doc & 31);
  let left = DocSet.fromBits(bits);
  const all: number[] = [];
  for (let ordinal = order.first(left); ordinal >= 0; ordinal = order.first(left)) {
    const found = order.take(ordinal, left);
    all.push(...found.toList());
    left = left.without(found);
  }
  return all;
}

describe('the order of values', () => {
  const sets = {
    'all documents': (doc: number) => doc >= 0,
    'every third document': (doc: number) => doc % 3 === 0,
    'a few documents': (doc: number) => doc % 211 === 0,
    'documents at the far end': (doc: number) => doc % 700 > 640,
    'documents at the near end': (doc: number) => doc % 700 < 60,
  };
  for (const [name, isMember] of Object.entries(sets)) {
    for (const isAscending of [true, false]) {
      it(`finds ${name}, ${isAscending ? 'least' : 'greatest'} value first`, () => {
        const docs = Array.from({ length: COUNT }, (_, doc) => doc).filter(isMember);
        expect(taken(docs, isAscending)).toEqual(byHand(docs, isAscending));
      });
    }
  }
});
