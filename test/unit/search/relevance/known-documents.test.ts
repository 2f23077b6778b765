/** Known documents, compared with a reference that records documents one by one. */
import { describe, expect, it } from 'vitest';
import type { HeldSet } from '../../../../src/search/relevance/held-words.ts';
import { KnownDocuments } from '../../../../src/search/relevance/known-documents.ts';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';

const DOC_IDS = 40_000;
const BITSET_LENGTH = DOC_IDS / 32;

/** Every `step`th document, starting at `from`. */
const every = (step: number, from: number): DocSet =>
  DocSet.fromList(
    Uint32Array.from({ length: Math.ceil((DOC_IDS - from) / step) }, (_, i) => from + i * step),
    BITSET_LENGTH,
  );

const asBits = (docs: DocSet): DocSet => DocSet.fromBits(docs.toBits().slice());

/** Two words, the first with two sets; most documents are in more than one set. */
const sets: readonly HeldSet[] = [
  { docs: every(1009, 5), bit: 1, unitBits: 1, rankBits: 0, most: 4 },
  { docs: every(70, 5).packed, bit: 1, unitBits: 1, rankBits: 1, most: 2 },
  { docs: asBits(every(21, 5)), bit: 2, unitBits: 2, rankBits: 0, most: 1 },
  { docs: every(11, 5).packed, bit: 4, unitBits: 4, rankBits: 0, most: 0.5 },
];

const universe = asBits(every(1, 1000)).without(every(30, 5)).toBits();

/** Documents in one of the first `taken` sets, with the bits of all sets up to `looked`. */
function noted(taken: number, looked: number): number[][] {
  const rows: number[][] = [];
  for (let doc = 1000; doc < DOC_IDS; doc++) {
    if (doc % 30 === 5 || !sets.slice(0, taken).some(({ docs }) => docs.has(doc))) continue;
    const row = [doc, 0, 0, 0];
    for (const { docs, bit, unitBits, rankBits, most } of sets.slice(0, looked)) {
      if (!docs.has(doc)) continue;
      if ((row[1]! & unitBits) === 0) {
        row[2]! |= rankBits;
        row[3]! += most;
      }
      row[1]! |= bit;
    }
    rows.push(row);
  }
  return rows;
}

/** Ascending by document. */
function rowsOf(known: KnownDocuments): number[][] {
  const { docs, bits, ranks, most } = known;
  return [...known.ascending(null, BITSET_LENGTH)].map((row) => [
    docs[row]!,
    bits[row]!,
    ranks[row]!,
    most[row]!,
  ]);
}

describe('known documents', () => {
  it('are the documents of sets in a universe, in steps of any size', () => {
    const known = new KnownDocuments();
    known.add(sets.slice(0, 1), universe);
    expect(rowsOf(known)).toEqual(noted(1, 1));
    known.add(sets.slice(1, 3), universe);
    expect(rowsOf(known)).toEqual(noted(3, 3));
    known.clear();
    known.add(sets.slice(0, 3), universe);
    expect(rowsOf(known)).toEqual(noted(3, 3));
  });

  it('record further sets without adding documents', () => {
    const known = new KnownDocuments();
    known.add(sets.slice(0, 1), universe);
    for (const set of sets.slice(1)) known.lookUp(set);
    expect(rowsOf(known)).toEqual(noted(1, 4));
    known.clear();
    known.add(sets.slice(0, 3), universe);
    known.lookUp(sets[3]!);
    expect(rowsOf(known)).toEqual(noted(3, 4));
  });

  it('drop documents whose bound is below the minimum', () => {
    const known = new KnownDocuments();
    known.add(sets.slice(0, 3), universe);
    known.dropBelow(3, (bits) => (bits === 1 ? 1 : 0));
    const left = noted(3, 3).filter(([, bits, , most]) => most! + (bits === 1 ? 1 : 0) >= 3);
    expect(left.length).toBeGreaterThan(10);
    expect(rowsOf(known)).toEqual(left);
  });
});
