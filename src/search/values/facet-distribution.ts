/**
 * Counts of facet values among the candidates, or their groups, and the range of their numbers
 * (relevance.md 5.7, 5.9).
 */
import { Deadline } from '../../core/deadline.ts';
import type { FacetTable } from '../../model/federated-facets.ts';
import type { FacetOrder } from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { findValues, numberOf, numberRange, spellingOf } from './facet-counts.ts';
import { selectFacets } from './facet-selection.ts';
import { type CountedField, NUMBERS, STRINGS } from './merged-values.ts';
import { CountedDocuments, type FacetGroups } from './segment-counts.ts';

/**
 * Up to this number of candidates, alphabetic order compares numbers as strings and the limit
 * applies to numbers and strings together.
 */
const TEXT_ORDER_MAX = 3000;

export const facetOrder = (
  { faceting: { sortFacetValuesBy } }: Settings,
  path: string,
): FacetOrder =>
  (Object.hasOwn(sortFacetValuesBy, path) ? sortFacetValuesBy[path] : sortFacetValuesBy['*']) ??
  'alpha';

/**
 * @param deadline only the end of the request matters
 * @param requestedOrder null = as in the settings
 * @param groups of the candidates: counts are numbers of groups; null = of candidates
 * @throws ApiError `invalid_search_facets`
 */
export function countFacets(
  snapshot: IndexSnapshot,
  facets: readonly string[],
  candidates: DocSet,
  deadline = Deadline.never(),
  requestedOrder: FacetOrder | null = null,
  groups: FacetGroups | null = null,
): FacetTable[] {
  const { settings } = snapshot.manifest;
  const documents = new CountedDocuments(candidates, deadline, groups);
  return selectFacets(snapshot, facets).map((path) => {
    deadline.check();
    const field = new FieldValues(snapshot, path);
    const counted = { snapshot, field, documents };
    const order = requestedOrder ?? facetOrder(settings, path);
    const { maxValuesPerFacet } = settings.faceting;
    const { values, numbers } = orderedValues(counted, order, maxValuesPerFacet);
    documents.freeCounts();
    const stats = numbers === null ? numberRange(field, documents) : rangeOf(numbers);
    return { path, order, isOrderSet: true, values, stats };
  });
}

interface OrderedValues {
  /** In the order of the answer: a map keeps it also for keys that look like integers. */
  readonly values: ReadonlyMap<string, number>;
  /** All numbers of the candidates, in any order; null when the list may be incomplete. */
  readonly numbers: readonly number[] | null;
}

function orderedValues(counted: CountedField, order: FacetOrder, limit: number): OrderedValues {
  if (limit === 0) return { values: new Map(), numbers: null };
  if (order === 'alpha' && counted.documents.docs.count <= TEXT_ORDER_MAX)
    return valuesByText(counted, limit);
  return valuesUntilFull(counted, order, limit);
}

function valuesByText(counted: CountedField, limit: number): OrderedValues {
  const { field, documents } = counted;
  const values = new Map<string, number>();
  const found = findValues(counted, NUMBERS, 'alpha', Number.POSITIVE_INFINITY);
  const numbers = found.map((value) => numberOf(field, value));
  const texts = found.map(({ count }, i) => ({ text: decimalText(numbers[i]!), count }));
  texts.sort((a, b) => (a.text < b.text ? -1 : 1));
  for (const { text, count } of texts.slice(0, limit)) values.set(text, count);
  for (const value of findValues(counted, STRINGS, 'alpha', limit - values.size)) {
    values.set(spellingOf(field, value, documents), value.count);
  }
  return { values, numbers };
}

/**
 * A value that fills the map exactly ends its type of values; strings that start with a full map
 * are all added.
 */
function valuesUntilFull(counted: CountedField, order: FacetOrder, limit: number): OrderedValues {
  const { field, documents } = counted;
  const values = new Map<string, number>();
  const found = findValues(counted, NUMBERS, order, limit);
  const numbers = found.map((value) => numberOf(field, value));
  for (let i = 0; i < found.length; i++) values.set(decimalText(numbers[i]!), found[i]!.count);
  const stringLimit = values.size >= limit ? Number.POSITIVE_INFINITY : limit + values.size;
  for (const value of findValues(counted, STRINGS, order, stringLimit)) {
    values.set(spellingOf(field, value, documents), value.count);
    if (values.size === limit) break;
  }
  return { values, numbers: found.length < limit ? numbers : null };
}

function rangeOf(numbers: readonly number[]): FacetTable['stats'] {
  if (numbers.length === 0) return null;
  return {
    min: numbers.reduce((a, b) => Math.min(a, b)),
    max: numbers.reduce((a, b) => Math.max(a, b)),
  };
}

const PLAIN = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 21 });

/** Shortest decimal form, without exponent. */
export function decimalText(value: number): string {
  const text = String(value);
  return text.includes('e') ? PLAIN.format(value) : text;
}
