/** Words of Chinese text by a small list, and by the dictionary. */
import { describe, expect, it } from 'vitest';
import { chineseWordSegmenter } from '../../../../../src/engine/analysis/languages/chinese-cuts.ts';
import { WordFrequencies } from '../../../../../src/engine/analysis/languages/word-frequencies.ts';
import { chineseWords } from '../../../../../src/engine/analysis/languages/word-lists.ts';
import { encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { segmentedWords } from './segmented-words.ts';

const byteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function listOf(frequencies: Readonly<Record<string, number>>): WordFrequencies {
  const lines = Object.entries(frequencies).map(([word, n]) => `${word} ${n} n\n`);
  return new WordFrequencies(encodeUtf8(lines.sort(byteOrder).join('')));
}

const cut = (frequencies: Readonly<Record<string, number>>, text: string): string =>
  segmentedWords(
    chineseWordSegmenter(() => listOf(frequencies)),
    text,
  ).join('|');

describe('chineseWordSegmenter', () => {
  it('takes the likeliest way, not the longest first word', () => {
    const words = { 研究: 100, 研究生: 20, 生命: 100, 命: 5, 的: 500, 起源: 50 };
    expect(cut(words, '研究生命的起源')).toBe('研究|生命|的|起源');
    expect(cut({ ...words, 研究: 1, 研究生: 5000, 命: 5000 }, '研究生命')).toBe('研究|生|命');
  });

  it('cuts what it does not know into characters', () => {
    expect(cut({ 北京: 9 }, '甲北京乙丙')).toBe('甲|北京|乙|丙');
    expect(cut({}, '𠀀甲')).toBe('𠀀|甲');
  });

  it('cuts long words again: known pairs, else known triples, else characters', () => {
    expect(cut({ 中华: 1, 人民: 1, 共和国: 1, 中华人民共和国: 9000 }, '中华人民共和国')).toBe(
      '中华|人民|共和国',
    );
    expect(cut({ 甲乙丙丁: 900 }, '甲乙丙丁')).toBe('甲|乙|丙|丁');
  });

  it('cuts long runs piece by piece', () => {
    const words = segmentedWords(
      chineseWordSegmenter(() => listOf({ 甲乙: 5 })),
      '甲乙'.repeat(1000),
    );
    expect(words).toHaveLength(1000);
    expect(segmentedWords(chineseWordSegmenter(chineseWords), '甲乙丙'.repeat(10), 4)).toHaveLength(
      4,
    );
  });

  it('recognises common words and the parts of foreign names', () => {
    const segmenter = chineseWordSegmenter(chineseWords);
    expect(segmentedWords(segmenter, '他们在北京大学学习中文').join('|')).toBe(
      '他们|在|北京|大学|学习|中文',
    );
    expect(segmentedWords(segmenter, '哈肯萨克')).toHaveLength(2);
  });
});
