/** White space of Unicode (the property White_Space), which ends lemmas and values. */

const isWhiteSpace = (unit: number): boolean =>
  unit < 0x85
    ? unit === 0x20 || (unit >= 9 && unit <= 13)
    : unit === 0x85 || unit === 0xa0 || (unit >= 0x1680 && isWide(unit));

const isWide = (unit: number): boolean =>
  unit === 0x1680 ||
  (unit >= 0x2000 && unit <= 0x200a) ||
  unit === 0x2028 ||
  unit === 0x2029 ||
  unit === 0x202f ||
  unit === 0x205f ||
  unit === 0x3000;

export function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return end - start === text.length ? text : text.slice(start, end);
}
