/** Normalises strings for comparison as values: trimmed, NFKD, lower-cased (relevance.md 5.2). */
import { limits } from '../../core/limits.ts';
import { trimWhiteSpace } from '../analysis/characters/white-space.ts';

/** Not cut: filters compare their whole value with stored values, which are cut. */
export const normalizeValue = (text: string): string =>
  trimWhiteSpace(text).normalize('NFKD').toLowerCase();

/** Length of `bytes` cut to the stored length of a value, at a character boundary. */
export function storedValueLength(bytes: Uint8Array, length = bytes.length): number {
  const max = limits.facetValueBytesMax;
  if (length <= max) return length;
  let end = max;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}
