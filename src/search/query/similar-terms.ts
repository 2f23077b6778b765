/**
 * Terms of one segment that are similar to a text, independent of deleted documents: the result is
 * valid for the lifetime of the segment.
 */
import { limits } from '../../core/limits.ts';
import { encodeUtf8 } from '../../engine/bytes/utf8.ts';
import type { TermDictionary } from '../../engine/dictionary/term-dictionary.ts';
import type { Settings } from '../../model/settings.ts';
import type { SimilarTerms } from '../snapshot/cached-values.ts';

/** Only numeric characters and ASCII punctuation. */
const NUMBER_LIKE = /^[\p{N}!-/:-@[-`{-~]+$/u;

/**
 * True for words that `disableOnNumbers` excludes from typo tolerance and from joining query words
 * (relevance.md 1.5).
 */
export const isProtectedNumber = (text: string, { typoTolerance }: Settings): boolean =>
  typoTolerance.disableOnNumbers && NUMBER_LIKE.test(text);

export interface SimilarTo {
  readonly text: string;
  /** Maximum number of typos. */
  readonly budget: 1 | 2;
  readonly isPrefix: boolean;
}

const ONE_TYPO_WORDS_MAX: number = limits.oneTypoDerivationsMax;
const TWO_TYPO_WORDS_MAX: number = limits.twoTypoDerivationsMax;

/**
 * Terms with the text's first character and one or two typos, and terms with another first
 * character.
 */
const KINDS = ['sameFirstOne', 'sameFirstTwo', 'otherFirst'] as const;
const KIND_BITS = 2;
const KIND_MASK = (1 << KIND_BITS) - 1;
const ALL_KINDS = (1 << KINDS.length) - 1;

/**
 * Twice the number of terms that can be needed is listed, since documents with them may be deleted.
 */
const SPARE = 2;

/**
 * The number of terms of each kind in a segment that can be needed, independent of other segments:
 * the limits would cut off further terms.
 */
export const neededTerms = (budget: 1 | 2): number[] =>
  budget === 1
    ? [ONE_TYPO_WORDS_MAX, 0, 0]
    : [ONE_TYPO_WORDS_MAX, TWO_TYPO_WORDS_MAX, ONE_TYPO_WORDS_MAX + TWO_TYPO_WORDS_MAX];

export const spareTerms = (budget: 1 | 2): number[] =>
  neededTerms(budget).map((count) => count * SPARE);

export const allTerms = (): number[] => KINDS.map(() => Number.POSITIVE_INFINITY);

/** @param left remaining number of terms to list, by kind; updated by the call */
export function similarTerms(
  terms: TermDictionary,
  { text, budget, isPrefix }: SimilarTo,
  left: number[],
): SimilarTerms {
  const firstCharacter = encodeUtf8(String.fromCodePoint(text.codePointAt(0)!));
  const options = {
    maxDistance: budget,
    maxDistanceOtherFirst: (budget - 1) as 0 | 1,
    prefix: isPrefix,
  };
  const listed: number[] = [];
  let cut = 0;
  terms.visitSimilar(text, options, (ordinal, distance) => {
    if (distance === 0) return true;
    const isAlike = startsWithBytes(terms.bytes(ordinal), firstCharacter);
    const kind = isAlike ? distance - 1 : 2;
    if (left[kind]! > 0) {
      left[kind]!--;
      listed.push(ordinal * (1 << KIND_BITS) + kind);
      return true;
    }
    cut |= 1 << kind;
    if (left.some((count) => count > 0)) return true;
    cut = ALL_KINDS;
    return false;
  });
  return { listed: listed.slice(), cut };
}

/**
 * Passes the terms to `take` in byte order, of each kind the first that are needed. Returns false
 * when matches beyond the listed terms may exist.
 * @param take returns true if the term counts
 */
export function takeSimilar(
  { listed, cut }: SimilarTerms,
  budget: 1 | 2,
  take: (ordinal: number, distance: number) => boolean,
): boolean {
  const needed = neededTerms(budget);
  for (const entry of listed) {
    const kind = entry & KIND_MASK;
    if (needed[kind] === 0) continue;
    if (take(entry >>> KIND_BITS, kind === 1 ? 2 : 1)) needed[kind]!--;
  }
  return needed.every((count, kind) => count === 0 || ((cut >>> kind) & 1) === 0);
}

function startsWithBytes(bytes: Uint8Array, prefix: Uint8Array): boolean {
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}
