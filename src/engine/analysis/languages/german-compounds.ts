/**
 * Cuts German compounds into known words: repeatedly takes the longest known word; a rest that
 * begins with no known word stays together.
 */
import type { Segmenter } from './segmenters.ts';

/**
 * Minimum length in letters. Shorter words begin too many unrelated words by chance; named words
 * are exempt.
 */
const PART_LETTERS_MIN = 4;
/**
 * Minimum length of words that are not nouns: short ones are inflected forms more often than parts
 * of compounds.
 */
const OTHER_PART_LETTERS_MIN = 6;
/** Minimum length of the named words. */
const NAMED_LETTERS_MIN = 2;
/** Inside unknown letters a known word is by chance more often than at the beginning of a word. */
const INNER_PART_LETTERS_MIN = 5;
/** Links the parts of a compound and belongs to none. */
const LINK = 's';
const ENDINGS: ReadonlySet<string> = new Set(['e', 'em', 'en', 'er', 'es', 'n']);
const GERMAN_WORD = /^[a-zäöüß]+$/u;

export interface WordSet {
  readonly words: ReadonlySet<string>;
  readonly longest: number;
}

const isPart = (words: ReadonlySet<string>, part: string): boolean =>
  words.has(part) ||
  (part.endsWith('s') && part.length > PART_LETTERS_MIN && words.has(part.slice(0, -1)));

/**
 * Whether the word is made of two or more other words of the set, with or without a linking s
 * between them.
 */
export function isCompound(word: string, words: ReadonlySet<string>): boolean {
  const reached = new Uint8Array(word.length + 1);
  reached[0] = 1;
  for (let end = PART_LETTERS_MIN; end <= word.length; end++) {
    for (let start = 0; start <= end - PART_LETTERS_MIN; start++) {
      if (reached[start] === 0 || (start === 0 && end === word.length)) continue;
      const part = word.slice(start, end);
      const isMet = end === word.length ? words.has(part) : isPart(words, part);
      if (isMet) reached[end] = 1;
    }
  }
  return reached[word.length] === 1;
}

/**
 * The simple words of a list of common words, without its compounds: a listed compound would hide
 * its parts.
 * @param list nouns are the words that are never written in lower case
 * @param named words that are taken whatever their length
 */
export function simpleWords(list: readonly string[], named: readonly string[] = []): WordSet {
  const written = new Set(list.map((word) => word.trim().normalize('NFC')));
  const known = new Set([...written].map((word) => word.toLowerCase()));
  for (const word of known)
    if (word.length < PART_LETTERS_MIN || !GERMAN_WORD.test(word)) known.delete(word);
  const isForm = (word: string): boolean =>
    (word.endsWith(LINK) && known.has(word.slice(0, -LINK.length))) ||
    named.some((stem) => word.startsWith(stem) && ENDINGS.has(word.slice(stem.length)));
  const isTaken = (word: string): boolean =>
    (word.length >= OTHER_PART_LETTERS_MIN || !written.has(word)) && !isForm(word);
  const simple = [...known].filter((word) => isTaken(word) && !isCompound(word, known));
  const words = new Set([...simple, ...named]);
  return { words, longest: Math.max(0, ...[...words].map((word) => word.length)) };
}

function longestAt(
  lower: string,
  at: number,
  shortest: number,
  { words, longest }: WordSet,
): number {
  for (let length = Math.min(longest, lower.length - at); length >= shortest; length--) {
    if (words.has(lower.slice(at, at + length))) return length;
  }
  return 0;
}

/**
 * Minimum number of letters of a part that begins at `at`, given that the letters from `start` on
 * are unknown.
 */
function shortestAt(lower: string, at: number, start: number): number {
  if (at === start) return NAMED_LETTERS_MIN;
  const isLinked = start > 0 && lower.slice(start, at) === LINK;
  return isLinked ? PART_LETTERS_MIN : INNER_PART_LETTERS_MIN;
}

/** @param wordsOf called once, at the first piece */
export function compoundSegmenter(wordsOf: () => WordSet): Segmenter {
  let known: WordSet | null = null;
  return {
    segment(piece, visit) {
      known ??= wordsOf();
      const lower = piece.toLowerCase();
      if (lower.length !== piece.length) return visit(0, piece.length);
      let start = 0;
      for (let i = 0; i < piece.length; ) {
        const length = longestAt(lower, i, shortestAt(lower, i, start), known);
        if (length === 0) {
          i++;
          continue;
        }
        if (i > start && !visit(start, i)) return false;
        if (!visit(i, i + length)) return false;
        i += length;
        start = i;
      }
      return start === piece.length || visit(start, piece.length);
    },
    mayCut: (_, start, end) => end - start > NAMED_LETTERS_MIN,
  };
}
