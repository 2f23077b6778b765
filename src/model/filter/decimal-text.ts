/** Texts that filters accept as numbers: decimal, with optional sign, fraction and exponent. */

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The finite number of the text, or null. */
export function numberOfText(text: string): number | null {
  const first = text.charCodeAt(0);
  if (first > 0x39 || first < 0x2b || !DECIMAL.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
