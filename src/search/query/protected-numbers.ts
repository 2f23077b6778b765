/**
 * Words that `disableOnNumbers` excludes from typo tolerance and from joining query words
 * (relevance.md 1.5).
 */
import type { Settings } from '../../model/settings.ts';

/** Only numeric characters and ASCII punctuation. */
const NUMBER_LIKE = /^[\p{N}!-/:-@[-`{-~]+$/u;

export const isProtectedNumber = (text: string, { typoTolerance }: Settings): boolean =>
  typoTolerance.disableOnNumbers && NUMBER_LIKE.test(text);
