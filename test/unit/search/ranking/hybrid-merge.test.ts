/** Merge of the results of keyword and semantic search. */
import { describe, expect, it } from 'vitest';
import type { RankedDocument } from '../../../../src/search/ranking/bucket-sort.ts';
import { mergeRankedLists } from '../../../../src/search/ranking/hybrid-merge.ts';
import type { ScoredLevel } from '../../../../src/search/ranking/ranking-score.ts';

const level = (detail: ScoredLevel['detail']): ScoredLevel => ({
  order: 0,
  isCombinedAttribute: false,
  detail,
});
const byWords = (doc: number, score: number): RankedDocument => ({
  doc,
  levels: [level({ rule: 'typo', rank: Math.round(score * 100), max: 100 })],
});
const byMeaning = (doc: number, similarity: number | null): RankedDocument => ({
  doc,
  levels: [level({ rule: 'vectorSort', similarity })],
});
const sorted = (value: number | null): ScoredLevel =>
  level({ rule: 'fieldSort', key: 'price:asc', direction: 'asc', value, isHidden: false });

const merge = (
  words: readonly RankedDocument[],
  meaning: readonly RankedDocument[],
  ratio = 0.5,
): string =>
  mergeRankedLists({ documents: words, weight: 1 - ratio }, { documents: meaning, weight: ratio })
    .map(({ doc, isSemantic }) => `${doc}${isSemantic ? 'm' : 'w'}`)
    .join(' ');

describe('mergeRankedLists', () => {
  it('takes the better head, and each document from the list where it comes first', () => {
    const words = [byWords(1, 0.98), byWords(2, 0.6)];
    const meaning = [byMeaning(2, 0.95), byMeaning(3, 0.7), byMeaning(1, 0.1)];
    expect(merge(words, meaning)).toBe('1w 2m 3m');
  });

  it('weighs scores by the ratio', () => {
    const lists = [[byWords(1, 0.9)], [byMeaning(2, 0.5)]] as const;
    expect(merge(...lists, 0.5)).toBe('1w 2m');
    expect(merge(...lists, 0.8)).toBe('2m 1w');
  });

  it('prefers semantic hits in ties, and gives a document without a vector the score 0', () => {
    expect(merge([byWords(1, 0.5)], [byMeaning(2, 0.5)])).toBe('2m 1w');
    expect(merge([byWords(1, 0.01)], [byMeaning(2, null)])).toBe('1w 2m');
  });

  it('compares by a sort in front of the scores first', () => {
    const words = [{ doc: 1, levels: [sorted(5), ...byWords(1, 0.9).levels] }];
    const meaning = [{ doc: 2, levels: [sorted(3), ...byMeaning(2, 0.1).levels] }];
    expect(merge(words, meaning)).toBe('2m 1w');
  });
});
