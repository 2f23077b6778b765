/** Sets of task uids in the bytes of Roaring bitmaps. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRoaring, encodeRoaring } from '../../../../src/dumps/format/roaring-bitmap.ts';

const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

describe('sets of uids', () => {
  it('come back as they were, whatever their size', () => {
    const uids = fc
      .uniqueArray(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 300 })
      .map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(uids, (list) => {
        expect(decodeRoaring(encodeRoaring(list))).toEqual(list);
      }),
    );
  });

  it('that are dense come back too', () => {
    const list = [...range(3, 4096), ...range(70_000, 5000), ...range(200_000, 1)];
    expect(decodeRoaring(encodeRoaring(list))).toEqual(list);
  });

  it('of one uid are the 18 bytes that the format says', () => {
    const bytes = [0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 7, 0];
    expect([...encodeRoaring([7])]).toEqual(bytes);
  });

  it('in runs are read', () => {
    // Cookie, one container, a bit that it is of runs; header; one run from 5 to 9.
    const bytes = [0x3b, 0x30, 0, 0, 1, 0, 0, 4, 0, 1, 0, 5, 0, 4, 0];
    expect(decodeRoaring(Uint8Array.from(bytes))).toEqual([5, 6, 7, 8, 9]);
  });

  it('with more numbers than memory should hold are refused', () => {
    // 1025 containers of 65,536 numbers, each one run.
    const containers = 1025;
    const bits = Math.ceil(containers / 8);
    const bytes = new DataView(new ArrayBuffer(4 + bits + containers * (4 + 4 + 6)));
    bytes.setUint16(0, 12347, true);
    bytes.setUint16(2, containers - 1, true);
    for (let i = 0; i < bits; i++) bytes.setUint8(4 + i, 0xff);
    const bodies = 4 + bits + containers * 8;
    for (let i = 0; i < containers; i++) {
      bytes.setUint16(4 + bits + i * 4, i, true);
      bytes.setUint16(bodies + i * 6, 1, true);
      bytes.setUint16(bodies + i * 6 + 4, 65535, true);
    }
    expect(() => decodeRoaring(new Uint8Array(bytes.buffer))).toThrow(/more than 16777216 numbers/);
  });

  it('of other bytes are refused', () => {
    expect(() => decodeRoaring(Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]))).toThrow(RangeError);
  });
});
