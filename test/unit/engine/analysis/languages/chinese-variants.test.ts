/** The forms of Chinese characters (relevance.md 1.1). */
import simplified from 'opencc-js/dict/STCharacters';
import traditional from 'opencc-js/dict/TSCharacters';
import { describe, expect, it } from 'vitest';
import {
  foldChineseVariants,
  formsOf,
  hasVariants,
} from '../../../../../src/engine/analysis/languages/chinese-variants.ts';

const pairs = (dictionary: string): string[][] =>
  dictionary.split('|').map((pair) => pair.split(' '));

describe('forms of Chinese characters', () => {
  it.each([
    ['simplified and traditional', '电脑', '電腦'],
    ['of Taiwan', '台湾', '臺灣'],
    ['of Hong Kong', '说', '説'],
    ['Japanese', '进击', '進撃'],
    ['one for two', '发', '髮'],
    ['beyond the first plane', '㜢', '𡞱'],
  ])('%s meet: %s is %s', (_, a, b) => {
    expect(foldChineseVariants(a)).toBe(foldChineseVariants(b));
  });

  it('meet for every pair of the two dictionaries, in both directions', () => {
    const apart = [...pairs(simplified), ...pairs(traditional)].filter(
      ([a = '', b = '']) => foldChineseVariants(a) !== foldChineseVariants(b),
    );
    expect(apart).toEqual([]);
    expect(pairs(traditional).length).toBeGreaterThan(3000);
  });

  it('are few: no class has more than six', () => {
    const sizes = pairs(traditional).map(([a = '']) => formsOf(a)?.length ?? 1);
    expect(Math.max(...sizes)).toBe(6);
  });

  it.each([
    ['沪', '濾'],
    ['欠', '缺'],
    ['予', '豫'],
    ['瓣', '辩'],
  ])('that Japanese alone connects do not bring other words together: %s is not %s', (a, b) => {
    expect(foldChineseVariants(a)).not.toBe(foldChineseVariants(b));
  });

  it('are not looked for in other text', () => {
    expect(hasVariants('Été 42 ほか')).toBe(false);
    expect(hasVariants('山川')).toBe(false);
    expect(foldChineseVariants('Été 42 ほか')).toBe('Été 42 ほか');
  });
});
