/**
 * Goal: records are grouped by document and ordered by key, whatever the order in which they came.
 * Method: random records against a plain sort.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OccurrenceBuffer } from '../../../../src/engine/postings/occurrence-key.ts';
import { RecordList } from '../../../../src/search/matching/occurrence-records.ts';
import { amount } from '../../../support/run-length.ts';

type Row = readonly [doc: number, key: number];

const bufferOf = (rows: readonly Row[]): OccurrenceBuffer => ({
  docs: Uint32Array.from(rows, ([doc]) => doc),
  keys: Uint32Array.from(rows, ([, key]) => key),
  length: rows.length,
});

/** By slot: `key class` of each record. @param parts records of a class each */
function grouped(parts: readonly (readonly Row[])[], docs: readonly number[]): string[][] {
  const list = new RecordList();
  parts.forEach((rows, recordClass) => {
    list.append(bufferOf(rows), recordClass);
  });
  const slots = new Int32Array(100);
  docs.forEach((doc, slot) => {
    slots[doc] = slot;
  });
  const { offsets, keys, classes } = list.groupBySlot(slots, docs.length);
  return docs.map((_, slot) =>
    Array.from(
      keys.subarray(offsets[slot], offsets[slot + 1]),
      (key, i) => `${key} ${classes[offsets[slot]! + i]}`,
    ),
  );
}

function expected(parts: readonly (readonly Row[])[], docs: readonly number[]): string[][] {
  const all = parts.flatMap((rows, recordClass) =>
    rows.map(([doc, key]) => ({ doc, key, recordClass })),
  );
  return docs.map((doc) =>
    all
      .filter((record) => record.doc === doc)
      .sort((a, b) => a.key - b.key || a.recordClass - b.recordClass)
      .map(({ key, recordClass }) => `${key} ${recordClass}`),
  );
}

describe('records of occurrences', () => {
  it('are grouped by document and ascend by key', () => {
    const doc = fc.nat(9);
    // Fields are the high bits of a key.
    const key = fc
      .tuple(fc.nat(2), fc.nat(30))
      .map(([field, position]) => field * 65536 + position);
    const rows = fc.uniqueArray(fc.tuple(doc, key), {
      maxLength: 300,
      selector: ([d, k]) => `${d} ${k}`,
    });
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 3 }), fc.boolean(), (parts, byDocument) => {
        const own = byDocument ? parts.map((part) => [...part].sort(([a], [b]) => a - b)) : parts;
        const docs = [...new Set(parts.flat().map(([d]) => d))].sort((a, b) => a - b);
        expect(grouped(own, docs)).toEqual(expected(own, docs));
      }),
      { numRuns: amount(60, 1000) },
    );
  });

  it('of more than 65,535 occurrences in a document keep their largest keys', () => {
    const rows = Array.from({ length: 70_000 }, (_, i): Row => [7, 0xffffffff - i]);
    const [found] = grouped([rows], [7]);
    expect(found).toHaveLength(70_000);
    expect(found!.at(-1)).toBe('4294967295 0');
    expect(found![0]).toBe(`${0xffffffff - 69_999} 0`);
  });
});
