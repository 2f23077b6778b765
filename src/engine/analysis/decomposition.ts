/**
 * Compatibility decomposition and removal of control characters: the steps before a token is
 * classified.
 */

const MEMO_MAX = 20_000;
const memo = new Map<string, string>();

const isRemovedControl = (code: number): boolean =>
  (code < 0x20 && !(code >= 9 && code <= 13)) || (code >= 0x7f && code < 0xa0 && code !== 0x85);

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

function compute(character: string): string {
  const code = character.codePointAt(0)!;
  if (isSurrogate(code)) return '\ufffd';
  return isRemovedControl(code) ? '' : character.normalize('NFKD');
}

/** Decomposed form of one character (code point); half of a surrogate pair becomes U+FFFD. */
export function decomposeCharacter(character: string): string {
  const known = memo.get(character);
  if (known !== undefined) return known;
  if (memo.size >= MEMO_MAX) memo.clear();
  const decomposed = compute(character);
  memo.set(character, decomposed);
  return decomposed;
}

/** Decomposed form of a text, character by character. */
export const decompose = (text: string): string => Array.from(text, decomposeCharacter).join('');
