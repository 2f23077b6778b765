/** A short text of a value of any size, for messages. */
import { isObject } from './json.ts';

/** Characters of a text. */
export const PREVIEW_LENGTH_MAX = 80;

/** The text, or its first characters and a mark. */
export const startOfText = (text: string): string =>
  text.length > PREVIEW_LENGTH_MAX ? `${text.slice(0, PREVIEW_LENGTH_MAX)}…` : text;

export function preview(value: unknown): string {
  if (typeof value === 'string') {
    const cut = value.length > PREVIEW_LENGTH_MAX;
    return JSON.stringify(cut ? value.slice(0, PREVIEW_LENGTH_MAX) : value) + (cut ? '…' : '');
  }
  if (Array.isArray(value))
    return value.length <= 3 && value.every((item) => typeof item !== 'object')
      ? `[${value.map(preview).join(',')}]`
      : `an array of ${value.length} items`;
  // Infinite numbers, for example 1e999, have no JSON form.
  if (typeof value === 'number') return String(value);
  if (!isObject(value)) return JSON.stringify(value) ?? 'nothing';
  const names = Object.keys(value);
  return names.length === 0
    ? '{}'
    : `an object with ${names.slice(0, 5).map(preview).join(', ')}${names.length > 5 ? ', …' : ''}`;
}
