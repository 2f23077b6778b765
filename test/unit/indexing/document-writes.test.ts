/** Splitting a batch's documents: none lost, order kept, parts of about equal bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DocumentWrites,
  isPlain,
  splitWrites,
  versionBytes,
} from '../../../src/indexing/batch/document-writes.ts';

/** Documents given by the lengths of their versions. */
function writesOf(lengths: readonly (readonly number[])[]): DocumentWrites {
  let at = 0;
  const versions = lengths.flat().flatMap((length, i) => {
    at += length;
    return [i % 3, at - length, at];
  });
  let end = 0;
  const versionEnds = lengths.map((one) => {
    end += one.length;
    return end;
  });
  return {
    docIds: Uint32Array.from(lengths, (_, i) => i * 2),
    ids: lengths.map((_, i) => `id${i}`),
    bases: Int32Array.from(lengths, (_, i) => (i % 2) - 1),
    versionEnds: Uint32Array.from(versionEnds),
    replacedCounts: Uint32Array.from(lengths, ({ length }, i) => i % length),
    versions: Uint32Array.from(versions),
  };
}

/** Each document as plain data. */
function flat(writes: DocumentWrites): unknown[] {
  const { docIds, ids, bases, versionEnds, replacedCounts, versions } = writes;
  return ids.map((id, i) => ({
    id,
    docId: docIds[i],
    base: bases[i],
    replaced: replacedCounts[i],
    versions: [...versions.slice((versionEnds[i - 1] ?? 0) * 3, (versionEnds[i] ?? 0) * 3)],
  }));
}

describe('splitWrites', () => {
  it('cuts any documents into parts that hold them all in order', () => {
    const document = fc.array(fc.nat(100), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(document),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 200, max: 800 }),
        fc.integer({ min: 1, max: 50 }),
        (lengths, partsWanted, bytesMin, bytesMax, documentsMax) => {
          const writes = writesOf(lengths);
          const total = versionBytes(writes);
          const parts = splitWrites(writes, { partsWanted, bytesMin, bytesMax, documentsMax });
          expect(parts.flatMap(flat)).toEqual(flat(writes));
          const worthwhile = Math.max(1, Math.min(partsWanted, Math.floor(total / bytesMin)));
          expect(parts.length).toBeLessThanOrEqual(
            Math.max(worthwhile, Math.ceil(total / bytesMax)) +
              Math.floor(lengths.length / documentsMax),
          );
          for (const part of parts) {
            expect(part.docIds.length).toBeGreaterThan(0);
            expect(part.docIds.length).toBeLessThanOrEqual(documentsMax);
            // The document that reaches a split point belongs to the part before it.
            expect(versionBytes(part)).toBeLessThan(bytesMax + 300);
          }
        },
      ),
    );
  });

  it('gives no part of an empty batch, one of a small batch, and equal ones of a large batch', () => {
    const sizes = { partsWanted: 4, bytesMin: 100, bytesMax: 2000, documentsMax: 1000 };
    expect(splitWrites(writesOf([]), sizes)).toEqual([]);
    expect(splitWrites(writesOf([[99]]), sizes)).toHaveLength(1);
    const writes = writesOf(Array.from({ length: 400 }, () => [10]));
    expect(splitWrites(writes, sizes).map(versionBytes)).toEqual([1000, 1000, 1000, 1000]);
    expect(splitWrites(writes, { ...sizes, bytesMax: 800 }).map(versionBytes)).toEqual([
      800, 800, 800, 800, 800,
    ]);
  });

  it('recognizes documents that are a single complete version', () => {
    const plain = { ...writesOf([[5], [7]]), bases: Int32Array.of(-1, -1) };
    expect(isPlain(plain)).toBe(true);
    expect(isPlain({ ...plain, bases: Int32Array.of(-1, 0) })).toBe(false);
    expect(isPlain({ ...writesOf([[5], [7, 1]]), bases: Int32Array.of(-1, -1) })).toBe(false);
  });
});
