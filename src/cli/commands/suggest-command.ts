/** `gannet suggest`: fills an index of suggestions from search analytics and values of fields. */

import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, utcDay } from '../../core/calendar-day.ts';
import { counted } from '../../core/counted.ts';
import type { Json } from '../../core/json.ts';
import {
  type Command,
  type CommandCall,
  listOption,
  numberOption,
  textOption,
} from '../command.ts';
import { CommandFailure } from '../command-failure.ts';
import { readTextFile } from '../documents/file-parts.ts';
import { type Instance, indexPath } from '../instance-client.ts';
import { primaryKeyOf } from '../migrate/target-indexes.ts';
import {
  deniedIn,
  rankedSuggestions,
  type SearchedQuery,
  type Suggestion,
  type SuggestionDocument,
  suggestionId,
  topValue,
} from '../suggestions.ts';

const COUNT_DEFAULT = 10_000;
const DAYS_DEFAULT = 30;
/** What one user alone types is no suggestion for others. */
const SEARCHES_MIN_DEFAULT = 5;
const QUERIES_PER_REQUEST = 20;
const MINUTE_MS = 60_000;
const MS_PER_SECOND = 1000;

/** Of an index of suggestions that this command creates; later changes of it stay. */
const SETTINGS = {
  searchableAttributes: ['text'],
  filterableAttributes: ['category', 'refreshedAt'],
  sortableAttributes: ['searches', 'hits'],
  matchingStrategy: 'all',
  rankingRules: [
    ...['words', 'typo', 'attributeRank', 'searches:desc', 'proximity', 'exactness', 'hits:desc'],
  ],
};

interface Answer {
  readonly estimatedTotalHits: number;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export const suggestCommand: Command = {
  name: 'suggest',
  summary: 'Fills an index of suggestions from search analytics and values of fields',
  usage: 'INDEX',
  arguments: [1, 1],
  asksServer: true,
  options: {
    'to UID': 'index of the suggestions (default: INDEX_suggestions)',
    'fields LIST': 'fields whose values are suggestions too, separated by commas',
    'no-queries': 'from fields alone, where the server keeps no search analytics',
    'days N': `days of searches (default: ${DAYS_DEFAULT})`,
    'min-searches N': `searches from which a query is a suggestion (default: ${SEARCHES_MIN_DEFAULT})`,
    'deny FILE': 'lines of words: suggestions that have them in a row are left out',
    'category FIELD': 'filterable field: its most frequent value among the hits of a suggestion',
    'limit N': `maximum number of suggestions (default: ${COUNT_DEFAULT})`,
    'every MINUTES': 'refreshes them again and again, until it is stopped',
  },
  async run(call) {
    const minutes = numberOption(call.options, 'every', 0, 'any');
    if (minutes === 0) return refresh(call);
    for (;;) {
      await refresh(call).catch((error: unknown) => {
        if (!(error instanceof CommandFailure)) throw error;
        call.terminal.note(`gannet: ${error.message}`);
      });
      await sleep(minutes * MINUTE_MS);
    }
  },
};

async function refresh({ arguments: [index = ''], options, instance, terminal }: CommandCall) {
  const to = textOption(options, 'to') ?? `${index}_suggestions`;
  const denyFile = textOption(options, 'deny');
  const bounds = {
    searchesMin: numberOption(options, 'min-searches', SEARCHES_MIN_DEFAULT),
    count: numberOption(options, 'limit', COUNT_DEFAULT),
    denied: denyFile === null ? [] : deniedIn(readTextFile(denyFile)),
  };
  const days = numberOption(options, 'days', DAYS_DEFAULT);
  const queries =
    options['no-queries'] === true
      ? []
      : await searchedQueries(instance, index, days, bounds.count);
  const values = await valuesOf(instance, index, listOption(options, 'fields') ?? []);
  const suggestions = rankedSuggestions(queries, values, bounds);
  const refreshedAt = Math.floor(Date.now() / MS_PER_SECOND);
  const documents: SuggestionDocument[] = [];
  for (let at = 0; at < suggestions.length; at += QUERIES_PER_REQUEST) {
    const some = suggestions.slice(at, at + QUERIES_PER_REQUEST);
    const tried = await withHits(instance, index, some, textOption(options, 'category'));
    documents.push(...tried.map((each) => ({ ...each, refreshedAt })));
    terminal.progress(`${at + some.length} of ${counted(suggestions.length, 'suggestion')} tried`);
  }
  terminal.progress(null);
  await replaceAll(instance, to, documents, refreshedAt);
  terminal.print(`${counted(documents.length, 'suggestion')} in ${to}`);
  terminal.json({ indexUid: to, suggestions: documents.length });
}

async function searchedQueries(
  instance: Instance,
  index: string,
  days: number,
  count: number,
): Promise<readonly SearchedQuery[]> {
  const from = utcDay(Date.now() - (Math.max(1, days) - 1) * DAY_MS);
  const query = new URLSearchParams({ indexUid: index, from, limit: String(count) });
  const { results } = await instance.request<{ results: SearchedQuery[] }>(
    'GET',
    `/analytics/queries?${query}`,
  );
  return results;
}

/** Distinct texts of the fields, and of the members of lists. */
async function valuesOf(
  instance: Instance,
  index: string,
  fields: readonly string[],
): Promise<ReadonlySet<string>> {
  const values = new Set<string>();
  if (fields.length === 0) return values;
  for await (const { documents } of instance.documents(index, { choice: { fields } }))
    for (const value of documents.flatMap((text) => Object.values(JSON.parse(text) as Json).flat()))
      if (typeof value === 'string') values.add(value);
  return values;
}

/** Suggestions that find something now. */
async function withHits(
  instance: Instance,
  index: string,
  suggestions: readonly Suggestion[],
  category: string | null,
): Promise<Omit<SuggestionDocument, 'refreshedAt'>[]> {
  const queries = suggestions.map(({ text }) => ({
    indexUid: index,
    q: text,
    limit: 0,
    ...(category !== null && { facets: [category] }),
  }));
  const { results } = await instance.request<{ results: Answer[] }>('POST', '/multi-search', {
    body: { queries },
  });
  return suggestions.flatMap((suggestion, i) => {
    const { estimatedTotalHits: hits = 0, facetDistribution = {} } = results[i] ?? {};
    if (hits === 0) return [];
    const found = category === null ? null : topValue(facetDistribution[category]);
    return [{ id: suggestionId(suggestion), ...suggestion, hits, category: found }];
  });
}

/** Suggestions of earlier runs are deleted when the new ones can be found. */
async function replaceAll(
  instance: Instance,
  to: string,
  documents: readonly SuggestionDocument[],
  refreshedAt: number,
): Promise<void> {
  if ((await primaryKeyOf(instance, to)) === undefined) {
    await instance.settle('POST', '/indexes', { body: { uid: to, primaryKey: 'id' } });
    await instance.settle('PATCH', `${indexPath(to)}/settings`, { body: SETTINGS });
  }
  if (documents.length > 0)
    await instance.settle('POST', `${indexPath(to)}/documents`, { body: documents });
  const filter = `refreshedAt < ${refreshedAt}`;
  await instance.settle('POST', `${indexPath(to)}/documents/delete`, { body: { filter } });
}
