/**
 * The Chinese dictionary: words with their frequencies, read from their data package when Chinese
 * text is first cut into words.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { WordFrequencies } from './word-frequencies.ts';

const WORD_LIST = '@node-rs/jieba/dict.txt';
const GZIP_MAGIC = 0x8b1f;

/** The npm package has the list compressed: 2 MB instead of 5. */
export function chineseWords(): WordFrequencies {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(WORD_LIST));
  return new WordFrequencies(bytes.readUInt16LE(0) === GZIP_MAGIC ? gunzipSync(bytes) : bytes);
}
