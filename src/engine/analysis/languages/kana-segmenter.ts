/**
 * Cuts kana from left to right into the longest word of ICU's dictionary. Looking ahead by one word
 * only cuts a text the same while it is being typed; ICU's own cutting weighs whole runs and can
 * change with every character.
 */
import { MemoMap } from '../../../core/memo-map.ts';
import type { Segmenter } from './segmenters.ts';

const WORD_UNITS_MAX = 8;
/**
 * Shorter katakana words begin too many unrelated words by chance; for longer ones ICU does not
 * distinguish known from unknown words.
 */
const KATAKANA_WORD_UNITS = { min: 3, max: 4 } as const;
const REMEMBERED_MAX = 32_768;

type IsWord = (text: string) => boolean;

function remembered(isWord: IsWord): IsWord {
  const known = new MemoMap<string, boolean>(REMEMBERED_MAX);
  return (text) => known.getOrCompute(text, isWord);
}

const icu = new Intl.Segmenter('ja', { granularity: 'word' });

/** Whether ICU takes the first `length` units as one word. */
const firstIs = (text: string, length: number): boolean =>
  icu.segment(text).containing(0)?.segment.length === length;

const isWord = remembered((text) => firstIs(text, text.length));
/**
 * ICU takes any short katakana as one word, but separates a word from its repetition only if the
 * word is in its dictionary.
 */
const isKatakanaWord = remembered((text) => firstIs(text + text, text.length));

function longestAt(run: string, at: number, min: number, max: number, isKnown: IsWord): number {
  for (let length = Math.min(max, run.length - at); length >= min; length--) {
    if (isKnown(run.slice(at, at + length))) return length;
  }
  return 0;
}

/** Marks that belong to the kana before them. */

const BOUND = 'ーゃゅょぁぃぅぇぉゎャュョァィゥェォヮ';
const isBound = (unit: number): boolean => BOUND.includes(String.fromCharCode(unit));
const SMALL_TSU = 'ッ'.charCodeAt(0);
const SYLLABIC_N = 'ン'.charCodeAt(0);

/** Length of the character at `at` with its marks. */
function syllableLength(run: string, at: number): number {
  let end = at + String.fromCodePoint(run.codePointAt(at)!).length;
  while (end < run.length && isBound(run.charCodeAt(end))) end++;
  return end - at;
}

/** No katakana word begins with these, so no word ends before them. */
function canBegin(run: string, at: number): boolean {
  const unit = run.charCodeAt(at);
  return !isBound(unit) && unit !== SMALL_TSU && unit !== SYLLABIC_N;
}

/** Hiragana: text that begins with no known word is cut into words of one syllable. */
export const hiraganaSegmenter: Segmenter = {
  segment(run, visit) {
    for (let i = 0; i < run.length; ) {
      const length = longestAt(run, i, 2, WORD_UNITS_MAX, isWord) || syllableLength(run, i);
      if (!visit(i, i + length)) return false;
      i += length;
    }
    return true;
  },
  mayCut: () => true,
};

/**
 * Katakana: known words at the beginning are separated; the rest, from the first character that
 * begins no known word, is one word, as in foreign names.
 */
export const katakanaSegmenter: Segmenter = {
  segment(run, visit) {
    const { min, max } = KATAKANA_WORD_UNITS;
    let start = 0;
    while (start < run.length) {
      const known = longestAt(run, start, min, max, isKatakanaWord);
      const length = known > 0 && canBegin(run, start + known) ? known : run.length - start;
      if (!visit(start, start + length)) return false;
      start += length;
    }
    return true;
  },
  mayCut: () => true,
};
