/** DocIds in use: kept over growth, shared with threads. */
import { describe, expect, it } from 'vitest';
import { toArray } from '../../../src/engine/sets/bitset.ts';
import { AllocatedDocIds } from '../../../src/indexing/batch/allocated-doc-ids.ts';

const members = (allocated: AllocatedDocIds): number[] => [
  ...toArray(new Uint32Array(allocated.shared)),
];

describe('AllocatedDocIds', () => {
  it('holds what was read, added and not removed, beyond its first capacity too', () => {
    const allocated = new AllocatedDocIds(Uint32Array.of(0b1011));
    allocated.add(Uint32Array.of(2, 100_000));
    allocated.remove(Uint32Array.of(0));
    expect(members(allocated)).toEqual([1, 2, 3, 100_000]);
    allocated.add(new Uint32Array(0));
    allocated.clear();
    expect(members(allocated)).toEqual([]);
  });
});
