/** Sharing out a batch's documents: nothing lost, order kept, parts of about equal bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DocumentWrites, splitWrites, versionBytes } from '../../../src/indexing/document-writes.ts';

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
    versions: Uint32Array.from(versions),
  };
}

/** Each document as plain data. */
function flat({ docIds, ids, bases, versionEnds, versions }: DocumentWrites): unknown[] {
  return ids.map((id, i) => ({
    id,
    docId: docIds[i],
    base: bases[i],
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
        (lengths, partsMax, bytesMin) => {
          const writes = writesOf(lengths);
          const parts = splitWrites(writes, partsMax, bytesMin);
          expect(parts.flatMap(flat)).toEqual(flat(writes));
          expect(parts.length).toBeLessThanOrEqual(
            Math.max(1, Math.min(partsMax, Math.floor(versionBytes(writes) / bytesMin))),
          );
          for (const part of parts) expect(part.docIds.length).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('gives no part of an empty batch, one of a small batch, and equal ones of a large batch', () => {
    expect(splitWrites(writesOf([]), 4, 100)).toEqual([]);
    expect(splitWrites(writesOf([[99]]), 4, 100)).toHaveLength(1);
    const parts = splitWrites(writesOf(Array.from({ length: 400 }, () => [10])), 4, 100);
    expect(parts.map(versionBytes)).toEqual([1000, 1000, 1000, 1000]);
  });
});
