/** Look-ups in the bytes of a list of words. */
import { describe, expect, it } from 'vitest';
import { WordFrequencies } from '../../../../../src/engine/analysis/languages/word-frequencies.ts';
import { encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';

const list = new WordFrequencies(encodeUtf8('a 7 n\nab 5 n\nabcd 30 v\nb 1 n\n'));

function frequencyOf(text: string): number {
  const utf8 = encodeUtf8(`x${text}`);
  return list.of(utf8, 1, utf8.length);
}

function wordsAt(text: string, at: number): [number, number][] {
  const found: [number, number][] = [];
  const ends = Uint32Array.from({ length: text.length + 1 }, (_, i) => i);
  list.forEachAt(encodeUtf8(text), ends, at, (end, frequency) => found.push([end, frequency]));
  return found;
}

describe('WordFrequencies', () => {
  it('contains the words of its list, none of their prefixes and nothing else', () => {
    expect(['a', 'ab', 'abcd', 'b'].map(frequencyOf)).toEqual([7, 5, 30, 1]);
    expect(['abc', 'abcde', 'A', 'c', '0', 'ba'].map(frequencyOf)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(list.total).toBe(43);
  });

  it('tells all words that begin at a place, shortest first', () => {
    expect(wordsAt('xabcde', 1)).toEqual([
      [2, 7],
      [3, 5],
      [5, 30],
    ]);
    expect(wordsAt('abc', 0)).toEqual([
      [1, 7],
      [2, 5],
    ]);
    expect(wordsAt('zz', 0)).toEqual([]);
  });

  it('has words of characters of any plane', () => {
    const words = '中 3 n\n中国 4 n\n𠀀 5 n\n𠀀𠀁 6 n\n';
    const chinese = new WordFrequencies(encodeUtf8(words));
    const frequencies = ['中', '中国', '国', '𠀀', '𠀀𠀁', '𠀁', '𠀀𠀁𠀂'].map((text) => {
      const utf8 = encodeUtf8(text);
      return chinese.of(utf8, 0, utf8.length);
    });
    expect(frequencies).toEqual([3, 4, 0, 5, 6, 0, 0]);
  });

  it('may be empty', () => {
    const empty = new WordFrequencies(new Uint8Array(0));
    expect([empty.total, empty.of(encodeUtf8('a'), 0, 1)]).toEqual([0, 0]);
  });
});
