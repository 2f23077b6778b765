/** Names of fields and words that a user types or pastes: read, checked, merged into lists. Pure. */
import { parseJson } from '../../core/json.ts';
import { isFieldOrBelow, patternCovers } from '../../model/attribute-pattern.ts';
import type { Settings } from '../../model/settings.ts';
import type { NamesRead } from '../parts/names-read.ts';

/** Characters of lists and quotes: a name with one is a mistake unless the index has the field. */
const SUSPECT = /[[\]{}"'`,;\n]/;

/**
 * Reads `year, title`, `["year"]` and `"year"` as the names that the user means.
 * @param known field names of the index; a known name is taken as it is
 */
export function fieldNamesOf(text: string, known: readonly string[]): NamesRead {
  const trimmed = text.trim();
  if (known.includes(trimmed)) return { names: [trimmed] };
  const names = (namesOfJson(trimmed) ?? trimmed.split(/[,;\n]/).map(unquoted)).filter(
    (name) => name !== '',
  );
  const wrong = names.find((name) => SUSPECT.test(name) && !known.includes(name));
  if (wrong !== undefined) return { refusal: `${wrong} is not a field name.` };
  return { names };
}

function namesOfJson(text: string): string[] | null {
  const value = parseJson(text);
  const values = Array.isArray(value) ? value : [value];
  return values.every((name): name is string => typeof name === 'string')
    ? values.map((name) => name.trim())
    : null;
}

const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^(["'`])(.*)\1$/, '$2')
    .trim();

/** True for fields, their parents and members, `_geo`, and patterns that match a field. */
export function isKnownField(name: string, known: readonly string[]): boolean {
  if (name === '*' || name === '_geo' || name === '_geojson') return true;
  return known.some(
    (field) =>
      patternCovers(name, field) || isFieldOrBelow(field, name) || isFieldOrBelow(name, field),
  );
}

/** Remark for names that the index has no field for. */
export const unknownNote =
  (known: readonly string[]) =>
  (name: string): string | null =>
    isKnownField(name, known) ? null : 'not a field yet';

/** Reads words that a user types or pastes: a JSON array, lines, or a list with commas. */
export function wordsOf(text: string): NamesRead {
  const words = namesOfJson(text.trim()) ?? text.split(/[,\n]/).map((word) => word.trim());
  return { names: words.filter((word) => word !== '') };
}

/** Reads one token, which may be a comma or a space. */
export const tokenOf = (text: string): NamesRead => ({ names: [text] });

/** The object without some members. */
export const without = <Value>(
  object: Readonly<Record<string, Value>>,
  ...names: readonly string[]
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

export type Synonyms = Settings['synonyms'];

/** Each of the words with all others as its synonyms. */
export const mutualSynonyms = (words: readonly string[]): Synonyms =>
  Object.fromEntries(words.map((word) => [word, words.filter((other) => other !== word)]));

/** Both, with the synonyms of a word in one list. */
export const mergedSynonyms = (first: Synonyms, second: Synonyms): Synonyms => ({
  ...first,
  ...Object.fromEntries(
    Object.entries(second).map(([word, others]) => [
      word,
      [...new Set([...(first[word] ?? []), ...others])],
    ]),
  ),
});
