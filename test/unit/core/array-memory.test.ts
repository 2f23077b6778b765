/** The memory of plain data on its way between threads: handed over whole, copied without slack. */
import { describe, expect, it } from 'vitest';
import { buffersOf, fitted } from '../../../src/core/array-memory.ts';

const data = () => {
  const whole = new Uint8Array([1, 2, 3, 4]);
  const slack = new Uint32Array(100).subarray(1, 3);
  return { name: 'n', whole, parts: [{ slack, none: null }, { again: whole.subarray(1) }] };
};

describe('memory of plain data', () => {
  it('is each buffer once, without shared ones', () => {
    const value = data();
    const shared = new Uint8Array(new SharedArrayBuffer(8));
    expect(buffersOf({ value, shared })).toEqual([
      value.whole.buffer,
      value.parts[0]?.slack?.buffer,
    ]);
  });

  it('has no room beyond the arrays once they are fitted, which hold what they held', () => {
    const value = data();
    value.parts[0]?.slack?.set([7, 8]);
    const { whole, parts, name } = fitted(value);
    expect(whole).toBe(value.whole);
    expect({ name, parts }).toEqual({ name: value.name, parts: value.parts });
    for (const buffer of buffersOf({ parts })) expect(buffer.byteLength).toBeLessThanOrEqual(8);
  });
});
