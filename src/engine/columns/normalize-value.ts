/** Normalises strings for comparison as values: trimmed, NFKD, lower-cased (relevance.md 5.2). */
import { limits } from '../../core/limits.ts';

/** Unicode White_Space outside ASCII. */
const isWideSpace = (code: number): boolean =>
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000;

const isSpace = (code: number): boolean =>
  code === 0x20 || (code >= 9 && code <= 13) || (code >= 0x80 && isWideSpace(code));

function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return end - start === text.length ? text : text.slice(start, end);
}

/** Not cut: filters compare their whole value with stored values, which are cut. */
export const normalizeValue = (text: string): string =>
  trimmed(text).normalize('NFKD').toLowerCase();

/** Length of `bytes` cut to the stored length of a value, at a character boundary. */
export function storedValueLength(bytes: Uint8Array, length = bytes.length): number {
  const max = limits.facetValueBytesMax;
  if (length <= max) return length;
  let end = max;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}
