/**
 * The Chinese dictionary: words with their frequencies, read from their data package when Chinese
 * text is first cut into words.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { WordFrequencies } from './word-frequencies.ts';

const WORD_LIST = '@node-rs/jieba/dict.txt';

export const chineseWords = (): WordFrequencies =>
  new WordFrequencies(readFileSync(createRequire(import.meta.url).resolve(WORD_LIST)));
