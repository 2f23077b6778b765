/** The order in which texts stand when their UTF-8 bytes are compared, without encoding them. */

/** Surrogates stand for code points above all other units. */
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
