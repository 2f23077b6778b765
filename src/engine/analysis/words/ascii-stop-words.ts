/** The ASCII stop words as written, found by the hash of their lower-cased bytes. */
import { hashBytes } from '../../../core/hash.ts';
import { TermInterner } from '../../bytes/term-interner.ts';
import { encodeUtf8 } from '../../bytes/utf8.ts';

const ASCII_WORD = /^[!-~]+$/;
const FIRST_SLOTS = 64;

export function asciiStopWords(stopWords: Iterable<string>): TermInterner {
  const words = new TermInterner(FIRST_SLOTS);
  for (const word of stopWords) {
    if (!ASCII_WORD.test(word)) continue;
    const bytes = encodeUtf8(word);
    const lower = encodeUtf8(word.toLowerCase());
    words.intern(bytes, bytes.length, hashBytes(lower, 0, lower.length));
  }
  return words;
}
