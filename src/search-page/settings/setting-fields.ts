/** How each setting is written in a form, and back. Pure; what is allowed is for the API to say. */

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

/** Settings that an index has beyond these are shown as JSON. */
export const SETTING_FIELDS: readonly SettingField[] = [
  {
    name: 'searchableAttributes',
    about: 'Searched, the most telling first; * = all',
    field: lines,
  },
  { name: 'displayedAttributes', about: 'Shown in hits; * = all', field: lines },
  { name: 'filterableAttributes', about: 'For filters and facets', field: json },
  { name: 'sortableAttributes', about: 'For orders', field: lines },
  { name: 'rankingRules', about: 'What ranks, in this order', field: lines },
  {
    name: 'matchingStrategy',
    about: 'Which documents match, when a search does not say',
    field: choice('last', 'all', 'frequency', 'any'),
  },
  { name: 'inflections', about: 'Languages whose word forms find each other', field: lines },
  { name: 'stopWords', about: 'Words that are not searched', field: lines },
  { name: 'synonyms', about: 'Lists of words by word', field: json },
  { name: 'distinctAttribute', about: 'One hit for each of its values', field: json },
  { name: 'typoTolerance', about: 'Which words may have typos', field: json },
  { name: 'faceting', about: 'Number and order of facet values', field: json },
  { name: 'pagination', about: 'How far pages go', field: json },
  { name: 'facetSearch', about: 'Whether facet values can be searched', field: flag },
  {
    name: 'prefixSearch',
    about: 'Whether the last word may be unfinished',
    field: choice('indexingTime', 'disabled'),
  },
  {
    name: 'proximityPrecision',
    about: 'How near words count',
    field: choice('byWord', 'byAttribute'),
  },
  { name: 'localizedAttributes', about: 'Languages of attributes', field: json },
  { name: 'embedders', about: 'Where vectors come from', field: json },
  { name: 'separatorTokens', about: 'Also part words', field: lines },
  { name: 'nonSeparatorTokens', about: 'Do not part words', field: lines },
  { name: 'dictionary', about: 'Stay whole', field: lines },
  { name: 'searchCutoffMs', about: 'Milliseconds that a search may take', field: json },
];

/** @param value as the API shows it; absent ones are null */
export function fieldText({ kind }: FieldKind, value: unknown): string {
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n');
  if (kind === 'choice' || kind === 'flag') return String(value ?? '');
  return value == null ? '' : JSON.stringify(value, null, 2);
}

/** @throws SyntaxError for a text that is no JSON where JSON is asked for */
export function fieldValue({ kind }: FieldKind, text: string): unknown {
  if (kind === 'lines') return text.split('\n').filter((line) => line.trim() !== '');
  if (kind === 'flag') return text === 'true';
  if (text.trim() === '') return null;
  return kind === 'choice' ? text : JSON.parse(text);
}
