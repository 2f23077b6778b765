/** Suggestions out of searched queries and values of fields: merged, denied, ranked. Pure. */
import { createHash } from 'node:crypto';
import { compareCodePoints } from '../core/compare-text.ts';
import { normalQuery } from '../model/analytics.ts';

/** A query of `GET /analytics/queries`. */
export interface SearchedQuery {
  readonly query: string;
  readonly searches: number;
  readonly searchesWithoutResults: number;
}

export interface Suggestion {
  readonly text: string;
  readonly searches: number;
}

/** A document of the index of suggestions. */
export interface SuggestionDocument extends Suggestion {
  readonly id: string;
  readonly hits: number;
  /** The most frequent one among the hits; null = none. */
  readonly category: string | null;
  /** Seconds since the epoch: older documents are of an earlier run. */
  readonly refreshedAt: number;
}

export interface SuggestionBounds {
  readonly searchesMin: number;
  readonly count: number;
  readonly denied: readonly string[];
}

const TEXT_LENGTH_MAX = 80;
const ID_CHARACTERS = 22;

/** Lines of a deny list, without empty ones and comments. */
export const deniedIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const denied = normalQuery(line.replace(/#.*/, ''));
    return denied === '' ? [] : [denied];
  });

/** Whether the text has the words of a denied line in a row. */
const isDenied = (normal: string, denied: readonly string[]): boolean =>
  denied.some((words) => ` ${normal} `.includes(` ${words} `));

/**
 * The most searched first. Values of fields count as searched by the queries of the same text, whose
 * spelling they decide.
 * @param values of fields, in any order
 */
export function rankedSuggestions(
  queries: readonly SearchedQuery[],
  values: Iterable<string>,
  { searchesMin, count, denied }: SuggestionBounds,
): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const { query, searches, searchesWithoutResults } of queries) {
    if (searches >= searchesMin && searchesWithoutResults < searches)
      found.set(normalQuery(query), { text: query, searches });
  }
  for (const value of values) {
    const text = value.trim().replace(/\s+/g, ' ');
    const normal = normalQuery(text);
    found.set(normal, { text, searches: found.get(normal)?.searches ?? 0 });
  }
  return [...found]
    .filter(([normal]) => normal !== '' && normal.length <= TEXT_LENGTH_MAX)
    .filter(([normal]) => !isDenied(normal, denied))
    .map(([, suggestion]) => suggestion)
    .sort((a, b) => b.searches - a.searches || compareCodePoints(a.text, b.text))
    .slice(0, count);
}

/** The same for the same text in each run. */
export const suggestionId = ({ text }: Suggestion): string =>
  createHash('sha256').update(normalQuery(text)).digest('base64url').slice(0, ID_CHARACTERS);

/** The most frequent facet value; null = none. */
export function topValue(counts: Readonly<Record<string, number>> = {}): string | null {
  const [first] = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}
