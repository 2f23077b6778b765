/**
 * Form field of each setting, with conversion to text and back. Pure; the API validates the values.
 */

type FieldKind =
  /** A list of texts, one a line. */
  | { readonly kind: 'lines' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'flag' }
  /** Any JSON value; empty = null. */
  | { readonly kind: 'json' };

export interface SettingField {
  readonly name: string;
  readonly about: string;
  readonly field: FieldKind;
}

const lines: FieldKind = { kind: 'lines' };
const json: FieldKind = { kind: 'json' };
const flag: FieldKind = { kind: 'flag' };
const choice = (...options: readonly string[]): FieldKind => ({ kind: 'choice', options });

/** Further settings of an index are shown as JSON. */
export const SETTING_FIELDS: readonly SettingField[] = [
  {
    name: 'searchableAttributes',
    about: 'Searchable attributes, most important first; * = all',
    field: lines,
  },
  { name: 'displayedAttributes', about: 'Displayed in hits; * = all', field: lines },
  { name: 'filterableAttributes', about: 'Filterable, and usable as facets', field: json },
  { name: 'sortableAttributes', about: 'Sortable', field: lines },
  { name: 'rankingRules', about: 'Ranking rules, in order', field: lines },
  {
    name: 'matchingStrategy',
    about: 'Default matching strategy',
    field: choice('last', 'all', 'frequency', 'any'),
  },
  { name: 'inflections', about: 'Languages whose inflected forms match each other', field: lines },
  { name: 'stopWords', about: 'Words that search ignores', field: lines },
  { name: 'synonyms', about: 'Synonyms of each word', field: json },
  { name: 'distinctAttribute', about: 'At most one hit for each of its values', field: json },
  { name: 'typoTolerance', about: 'Typo tolerance', field: json },
  { name: 'faceting', about: 'Number and order of facet values', field: json },
  { name: 'pagination', about: 'Maximum number of hits', field: json },
  { name: 'facetSearch', about: 'Facet search', field: flag },
  {
    name: 'prefixSearch',
    about: 'Prefix search',
    field: choice('indexingTime', 'disabled'),
  },
  {
    name: 'proximityPrecision',
    about: 'Precision of the proximity rule',
    field: choice('byWord', 'byAttribute'),
  },
  { name: 'localizedAttributes', about: 'Languages of attributes', field: json },
  { name: 'embedders', about: 'Embedders', field: json },
  { name: 'separatorTokens', about: 'Additional separators', field: lines },
  { name: 'nonSeparatorTokens', about: 'Characters that do not separate words', field: lines },
  { name: 'dictionary', about: 'Keep as one word', field: lines },
  { name: 'searchCutoffMs', about: 'Search time limit in milliseconds', field: json },
];

/** @param value as the API shows it; an absent value is null */
export function fieldText({ kind }: FieldKind, value: unknown): string {
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n');
  if (kind === 'choice' || kind === 'flag') return String(value ?? '');
  return value == null ? '' : JSON.stringify(value, null, 2);
}

/** @throws SyntaxError if the text of a JSON field is not JSON */
export function fieldValue({ kind }: FieldKind, text: string): unknown {
  if (kind === 'lines') return text.split('\n').filter((line) => line.trim() !== '');
  if (kind === 'flag') return text === 'true';
  if (text.trim() === '') return null;
  return kind === 'choice' ? text : JSON.parse(text);
}
