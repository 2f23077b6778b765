/** Cuts German compounds into known words: the longest known word first, again and again; what no word begins stays together. */
import type { Segmenter } from './segmenters.ts';

/** Shorter words begin too many others by chance. */
const PART_LETTERS_MIN = 4;
/** Inside of what is unknown a known word is more often chance than where a word begins. */
const INNER_PART_LETTERS_MIN = 5;
const GERMAN_WORD = /^[a-zäöüß]+$/u;

export interface WordSet {
  readonly words: ReadonlySet<string>;
  readonly longest: number;
}

const isPart = (words: ReadonlySet<string>, part: string): boolean =>
  words.has(part) || (part.endsWith('s') && part.length > PART_LETTERS_MIN && words.has(part.slice(0, -1)));

/** Whether the word is made of two or more others of the set, with or without a linking s between them. */
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

/** The simple words of a list of common ones: compounds among them would keep their parts from being found. */
export function simpleWords(list: readonly string[]): WordSet {
  const known = new Set(list.map((word) => word.trim().normalize('NFC').toLowerCase()));
  for (const word of known) if (word.length < PART_LETTERS_MIN || !GERMAN_WORD.test(word)) known.delete(word);
  const words = new Set([...known].filter((word) => !isCompound(word, known)));
  return { words, longest: Math.max(0, ...[...words].map((word) => word.length)) };
}

function longestAt(lower: string, at: number, shortest: number, { words, longest }: WordSet): number {
  for (let length = Math.min(longest, lower.length - at); length >= shortest; length--) {
    if (words.has(lower.slice(at, at + length))) return length;
  }
  return 0;
}

/** @param wordsOf is asked for the words once, at the first piece */
export function compoundSegmenter(wordsOf: () => WordSet): Segmenter {
  let known: WordSet | null = null;
  return {
    segment(piece, visit) {
      known ??= wordsOf();
      const lower = piece.toLowerCase();
      if (lower.length !== piece.length) return visit(0, piece.length);
      let start = 0;
      for (let i = 0; i < piece.length; ) {
        const length = longestAt(lower, i, i === start ? PART_LETTERS_MIN : INNER_PART_LETTERS_MIN, known);
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
    mayCut: (_, start, end) => end - start > PART_LETTERS_MIN,
  };
}
