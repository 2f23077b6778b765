/**
 * Words of a query for search rules: in lower case and without accents, without an index. Text
 * without spaces between words (Chinese, Thai) is segmented by a dictionary.
 */

const WORDS_MAX = 10;
/** Maximum number of UTF-16 units that are read. */
const TEXT_MAX = 2000;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Excluded words and phrases, which begin with a minus. */
const EXCLUDED = /(^|\s)-("[^"]*"?|\S+)/g;
const MARKS = /\p{M}/gu;

/** True for a search without words, which finds all documents. */
export const isBlank = (query: string | null | undefined): boolean => (query ?? '').trim() === '';

/** @param wordsMax the words after these are left out */
export function wordsOfText(text: string, wordsMax = WORDS_MAX): string[] {
  const words: string[] = [];
  const folded = text.slice(0, TEXT_MAX).normalize('NFKD').replace(MARKS, '').toLowerCase();
  for (const { segment, isWordLike } of segmenter.segment(folded)) {
    if (isWordLike !== true) continue;
    words.push(segment);
    if (words.length === wordsMax) break;
  }
  return words;
}

/** The words after a minus. */
export const excludedWordsOf = (query: string): string[] =>
  [...query.slice(0, TEXT_MAX).matchAll(EXCLUDED)].flatMap(([excluded]) => wordsOfText(excluded));

/** The words of the query without excluded ones. */
export const wordsOfQuery = (query: string): string[] =>
  wordsOfText(query.slice(0, TEXT_MAX).replace(EXCLUDED, '$1'));
