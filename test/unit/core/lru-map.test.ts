/** Maps of bounded size: evictions and their callbacks. */
import { describe, expect, it } from 'vitest';
import { LruMap } from '../../../src/core/lru-map.ts';

const filled = (onForgotten?: (value: string) => void): LruMap<number, string> => {
  const map = new LruMap<number, string>(2, onForgotten);
  map.set(1, 'one');
  map.set(2, 'two');
  return map;
};

describe('an LRU map', () => {
  it('forgets the entry used longest ago', () => {
    const map = filled();
    map.get(1);
    map.set(3, 'three');
    expect(map.entries()).toEqual([
      [1, 'one'],
      [3, 'three'],
    ]);
  });

  it('takes a change of a value for a use, a peek for none', () => {
    const map = filled();
    map.set(1, 'ONE');
    expect(map.peek(2)).toBe('two');
    map.set(3, 'three');
    expect(map.peek(2)).toBeUndefined();
    expect(map.peek(1)).toBe('ONE');
  });

  it('calls back for evicted entries, not for deleted ones', () => {
    const forgotten: string[] = [];
    const map = filled((value) => forgotten.push(value));
    map.delete(2);
    map.set(3, 'three');
    map.set(4, 'four');
    expect(forgotten).toEqual(['one']);
  });

  it('makes a missing value once', () => {
    const map = new LruMap<string, object>(1);
    const made = map.getOrMake('key', () => ({}));
    expect(map.getOrMake('key', () => ({}))).toBe(made);
  });

  it('keeps nothing when it may hold nothing', () => {
    const map = new LruMap<string, number>(0);
    expect(map.getOrMake('key', () => 1)).toBe(1);
    expect(map.get('key')).toBeUndefined();
  });
});
