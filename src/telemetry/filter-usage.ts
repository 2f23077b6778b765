/** What is looked at of a filter: its syntax and its text, whatever form it has and however long it is. */
import { isGiven } from './ended-request.ts';

/** Longer texts are looked at no further. */
export const TEXT_MAX = 4096;

/** Conditions of a filter, one behind the other; empty where there is none. */
export const filterText = (filter: unknown): string => withText('', filter);

/** Every form adds a character at least, so that the length bounds how many are looked at, too. */
function withText(before: string, form: unknown): string {
  if (typeof form === 'string') return `${before} ${form.slice(0, TEXT_MAX - before.length)}`;
  let text = `${before} `;
  if (!Array.isArray(form)) return text;
  for (const part of form) {
    if (text.length >= TEXT_MAX) break;
    text = withText(text, part);
  }
  return text;
}

export function filterSyntax(filter: unknown): string | undefined {
  if (!isGiven(filter)) return undefined;
  if (typeof filter === 'string') return 'string';
  if (!Array.isArray(filter)) return undefined;
  const kinds = new Set(filter.slice(0, TEXT_MAX).map((part) => Array.isArray(part)));
  if (kinds.size > 1) return 'mixed';
  return kinds.has(true) ? 'nested array' : 'array';
}
