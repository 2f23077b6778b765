/** Index patterns of keys and tenant tokens. */
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/core/limits.ts';
import { closestPattern, matcherOf } from '../../../src/model/index-uid-pattern.ts';

describe('the closest pattern', () => {
  const closest = (uid: string, ...patterns: string[]) => closestPattern(new Set(patterns), uid);

  it('is the uid itself, else the longest prefix', () => {
    expect(closest('films', 'film*', 'films', '*')).toBe('films');
    expect(closest('films', '*', 'f*', 'film*', 'filmsets*')).toBe('film*');
    expect(closest('films', 'films*')).toBe('films*');
    expect(closest('films', '*')).toBe('*');
    expect(closest('films', 'film', 'ilms*')).toBeUndefined();
  });

  it('takes a look-up for each character of a uid, however many patterns there are', () => {
    let lookUps = 0;
    const patterns = { has: () => ++lookUps < 0 };
    expect(closestPattern(patterns, 'films')).toBeUndefined();
    expect(lookUps).toBe('films'.length + 2);
    lookUps = 0;
    closestPattern(patterns, 'x'.repeat(100_000));
    expect(lookUps).toBe(limits.indexUidBytesMax + 2);
  });
});

it('a key reaches the indexes of its patterns alone', () => {
  const reaches = matcherOf(['films', 'shop-*']);
  const uids = ['films', 'films2', 'shop-', 'shop-a', 'shop'];
  expect(uids.map(reaches)).toEqual([true, false, true, true, false]);
  expect(matcherOf(['*'])('any')).toBe(true);
  expect(matcherOf([])('any')).toBe(false);
});
