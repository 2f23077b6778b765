/** Batches that added the values of a field: bits by value, over parts. */
import { describe, expect, it } from 'vitest';
import type { ValueSet } from '../../../../src/engine/columns/value-postings.ts';
import { batchesOf } from '../../../../src/search/values/value-tree.ts';

/** @param documents the documents of each value, ascending */
function valuesOf(documents: readonly (readonly number[])[]): ValueSet {
  const all = documents.flat();
  const firstEntry = (ordinal: number) => documents.slice(0, ordinal).flat().length;
  return {
    count: documents.length,
    firstEntry,
    documentAt: (entry: number) => all[entry]!,
  } as ValueSet;
}

describe('the batches of values', () => {
  const values = valuesOf([
    [0, 1, 9],
    [10, 19, 20, 35],
    [3, 29],
    [30, 31],
  ]);

  it('are the batches that assigned the DocIds of its documents; the last batch has the rest', () => {
    expect([...batchesOf([{ values, places: null }], 4, [10, 20, 30])]).toEqual([1, 14, 5, 8]);
  });

  it('are combined when several parts have the value', () => {
    const parts = [
      { values, places: Uint32Array.of(0, 1, 2, 4) },
      { values: valuesOf([[40], [5]]), places: Uint32Array.of(0, 3) },
    ];
    expect([...batchesOf(parts, 5, [10, 20])]).toEqual([5, 6, 5, 1, 4]);
  });

  it('are one batch without data about the ends of batches', () => {
    expect([...batchesOf([{ values, places: null }], 4, [])]).toEqual([1, 1, 1, 1]);
  });
});
