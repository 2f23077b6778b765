/** Highlight and crop lists as rules of leaves. */
import { describe, expect, it } from 'vitest';
import { FormatRules } from '../../../../../src/search/answer/formatting/format-rules.ts';

const rulesOf = (
  attributesToHighlight: readonly string[] | null,
  attributesToCrop: readonly string[] | null = null,
  cropLength = 10,
  hidden: readonly string[] = [],
): FormatRules =>
  new FormatRules(
    { attributesToHighlight, attributesToCrop, cropLength },
    (name) => !hidden.includes(name),
  );

describe('FormatRules', () => {
  it('applies rules of a field to everything below it and rules below to the field as a leaf', () => {
    const rules = rulesOf(['dog'], ['dog.name:3']);
    expect(rules.formatOf('dog.name')).toEqual({ isHighlighted: true, cropWords: 3 });
    expect(rules.formatOf('dog.age')).toEqual({ isHighlighted: true, cropWords: 0 });
    expect(rules.formatOf('dog')).toEqual({ isHighlighted: true, cropWords: 3 });
    expect(rules.formatOf('dogs')).toEqual({ isHighlighted: false, cropWords: 0 });
  });

  it('reads crop lengths after the last colon', () => {
    const rules = rulesOf(null, ['a:4', 'b', 'c:x', 'd:e:2', 'f:0'], 7);
    const words = ['a', 'b', 'c', 'd:e', 'f'].map((path) => rules.formatOf(path).cropWords);
    expect(words).toEqual([4, 7, 7, 2, 0]);
  });

  it('takes `*` as all attributes, with a length of its own, and lets the last rule of a field decide', () => {
    const rules = rulesOf(['*'], ['*:5', 'a:3']);
    expect(rules.names).toBeNull();
    expect(rules.formatOf('a')).toEqual({ isHighlighted: true, cropWords: 3 });
    expect(rules.formatOf('b.c')).toEqual({ isHighlighted: true, cropWords: 5 });
    expect(rulesOf(null, ['a:3', '*:5']).formatOf('a').cropWords).toBe(5);
  });

  it('leaves out attributes that are not shown', () => {
    expect(rulesOf(['secret'], ['secret:2'], 10, ['secret']).isEmpty).toBe(true);
    expect(rulesOf(['secret', 'a'], null, 10, ['secret']).names).toEqual(['a']);
    expect(rulesOf(null).isEmpty).toBe(true);
  });
});
