/** Compares strings in the order of their UTF-8 bytes, without encoding them. */

/** Surrogates encode code points above all other UTF-16 units. */
const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;

export function compareCodePoints(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}
