/**
 * Compatibility decomposition and removal of control characters: the steps before a token is
 * classified.
 */
import { MemoMap } from '../../../core/memo-map.ts';

const decomposed = new MemoMap<string, string>(20_000);

const isRemovedControl = (code: number): boolean =>
  (code < 0x20 && !(code >= 9 && code <= 13)) || (code >= 0x7f && code < 0xa0 && code !== 0x85);

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

function compute(character: string): string {
  const code = character.codePointAt(0)!;
  if (isSurrogate(code)) return '\ufffd';
  return isRemovedControl(code) ? '' : character.normalize('NFKD');
}

/** Decomposed form of one character (code point); half of a surrogate pair becomes U+FFFD. */
export const decomposeCharacter = (character: string): string =>
  decomposed.getOrCompute(character, compute);

/** Decomposed form of a text, character by character. */
export const decompose = (text: string): string => Array.from(text, decomposeCharacter).join('');
