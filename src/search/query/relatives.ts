/** Words of the index that are inflections of a query word: those of its stem (relevance.md 2.8). */
import { stemmerOf } from '../../engine/analysis/languages/stemmers.ts';
import type { Word } from '../snapshot/derivations.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Maximum number of inflections of a word in one language, the lowest in byte order. */
const RELATIVES_MAX = 50;
/** Maximum number of words checked: words that share a prefix with the word and its stem. */
const CANDIDATES_MAX = 10_000;
/** An inflection has at most 10 letters more than the stem. */
const ENDING_LENGTH_MAX = 10;
/** Prefixes of up to this length are not shortened by a letter, which a stem may change. */
const WHOLE_BEGINNING_MAX = 3;

type WordSource = Pick<Vocabulary, 'eachStartingWith' | 'find'>;

/** @param languages ISO 639-3 codes */
export function relativesOf(
  text: string,
  languages: readonly string[],
  vocabulary: WordSource,
): readonly Word[] {
  const found = new Map<string, Word>();
  for (const language of languages) {
    const stem = stemmerOf(language);
    if (stem) for (const word of withStemOf(text, stem, vocabulary)) found.set(word.text, word);
  }
  return [...found.values()];
}

function withStemOf(text: string, stem: (word: string) => string, vocabulary: WordSource): Word[] {
  const own = stem(text);
  // Some function words consist of an ending only.
  if (own === '') return [];
  const relatives: Word[] = [];
  let looked = 0;
  vocabulary.eachStartingWith(beginningOf(text, own), (candidate) => {
    const mayBe = candidate.length <= own.length + ENDING_LENGTH_MAX && candidate !== text;
    if (mayBe && stem(candidate) === own) relatives.push(vocabulary.find(candidate)!);
    return ++looked < CANDIDATES_MAX && relatives.length < RELATIVES_MAX;
  });
  return relatives;
}

/** The prefix common to the word and its stem, minus one letter if the stem may have changed it. */
function beginningOf(text: string, stem: string): string {
  let length = 0;
  while (length < stem.length && text[length] === stem[length]) length++;
  const isWhole = length <= WHOLE_BEGINNING_MAX && !stem.endsWith('i');
  return text.slice(0, isWhole ? length : length - 1);
}
