/** Texts that filters accept as numbers. */
import { isDecimal } from '../../core/decimal-text.ts';

/** The finite number of the text, or null. */
export function numberOfText(text: string): number | null {
  const first = text.charCodeAt(0);
  if (first > 0x39 || first < 0x2b || !isDecimal(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
