/**
 * Sets of code points written as text: hexadecimal numbers and inclusive ranges, separated by
 * spaces (`41-5a b7`).
 */

export type CodePointRange = readonly [first: number, last: number];

export function parseRanges(text: string): CodePointRange[] {
  return text
    .trim()
    .split(/\s+/)
    .map((item) => {
      const [first = '', last = first] = item.split('-');
      return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
    });
}
