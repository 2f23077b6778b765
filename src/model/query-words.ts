/**
 * Words of what people type, for rules about queries: in lower case and without accents, found
 * without an index. Text without spaces between words (Chinese, Thai) is cut by a dictionary.
 */

/** Words that count, from the first on. */
const WORDS_MAX = 10;
/** UTF-16 units that are looked at. */
const TEXT_MAX = 2000;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** What a query excludes: a word or a phrase with a minus in front. */
const EXCLUDED = /(^|\s)-("[^"]*"?|\S+)/g;
const MARKS = /\p{M}/gu;

export function wordsOfText(text: string): string[] {
  const words: string[] = [];
  const folded = text.slice(0, TEXT_MAX).normalize('NFKD').replace(MARKS, '').toLowerCase();
  for (const { segment, isWordLike } of segmenter.segment(folded)) {
    if (isWordLike !== true) continue;
    words.push(segment);
    if (words.length === WORDS_MAX) break;
  }
  return words;
}

/** Those that the query asks for. */
export const wordsOfQuery = (query: string): string[] =>
  wordsOfText(query.slice(0, TEXT_MAX).replace(EXCLUDED, '$1'));
