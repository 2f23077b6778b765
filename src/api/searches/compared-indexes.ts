/** Sends the same queries to two indexes, one after the other, and compares the answers. */
import type { Access } from '../../auth/access.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { AliasTable } from '../../model/alias.ts';
import {
  type ComparedQuery,
  ComparisonReport,
  type IndexComparison,
} from '../../model/comparison.ts';
import { bothFilters } from '../../model/filter/filter-form.ts';
import { primaryKeyValue } from '../../model/primary-key-value.ts';
import type { ComparedSearch } from '../../model/schemas/comparison-schema.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { ApiContext } from '../contract/context.ts';
import { IndexReader } from './index-reader.ts';
import { withRerankedHits } from './reranked-search.ts';
import { searchConditions, toSearchRequest } from './search-request.ts';
import { withQueryVector } from './semantic-query.ts';

/** Part of the time limit of the request in which new queries begin. */
const TIME_SHARE = 0.8;

interface ComparedSide {
  readonly index: PublishedIndex;
  readonly search: ComparedSearch;
}

/** A query, with a filter of its own in addition to that of the side. */
export type ReplayedQuery = Pick<ComparedQuery, 'q' | 'filter' | 'wanted'>;

interface ComparisonCall {
  readonly base: ComparedSide;
  readonly candidate: ComparedSide;
  readonly queries: readonly ReplayedQuery[];
  readonly limit: number;
  readonly access: Access;
  readonly caller: Requester;
}

/**
 * Ends early, with the queries so far, before the time limit of the request. @throws ApiError of a
 * search
 */
export async function compareIndexes(
  context: ApiContext,
  { base, candidate, queries, limit, access, caller }: ComparisonCall,
): Promise<IndexComparison & { readonly isComplete: boolean }> {
  const { clock, config } = context;
  const endMs = (caller.receivedAtMs ?? clock.monotonic()) + config.searchTimeoutMs * TIME_SHARE;
  const report = new ComparisonReport(limit);
  const aliases = asPromoted(context.aliases, base.index, candidate.index);
  const ask = (side: ComparedSide, { q, filter }: ReplayedQuery) =>
    firstHits(context, side, { q, filter, limit, access, caller, aliases });
  let done = 0;
  for (const query of queries) {
    if (clock.monotonic() >= endMs) break;
    // Each index comes first for half of the queries, since the second one profits from warm caches.
    const isBaseFirst = done % 2 === 0;
    done += 1;
    try {
      const first = await ask(isBaseFirst ? base : candidate, query);
      const second = await ask(isBaseFirst ? candidate : base, query);
      const [ofBase, ofCandidate] = isBaseFirst ? [first, second] : [second, first];
      report.add({
        ...query,
        base: ofBase.ids,
        candidate: ofCandidate.ids,
        baseMs: ofBase.milliseconds,
        candidateMs: ofCandidate.milliseconds,
      });
    } catch (error) {
      if (!isRefusedFilter(query, error)) throw error;
      report.refuse();
    }
  }
  return { ...report.result(), isComplete: done === queries.length };
}

/** The aliases of the base name the candidate too, so that their search rules hold for both. */
function asPromoted(
  { list }: AliasTable,
  base: PublishedIndex,
  { manifest: { uid: indexUid } }: PublishedIndex,
): AliasTable {
  const moved = list.filter((alias) => alias.indexUid === base.manifest.uid);
  return new AliasTable([...list, ...moved.map((alias) => ({ ...alias, indexUid }))]);
}

/** True if an index refuses the query's own filter, which is one of a user or of other settings. */
const isRefusedFilter = ({ filter }: ReplayedQuery, error: unknown): boolean =>
  filter !== null && error instanceof ApiError && error.code === 'invalid_search_filter';

interface OneQuery extends Pick<ComparisonCall, 'limit' | 'access' | 'caller'> {
  readonly q: string;
  readonly filter: unknown;
  readonly aliases: AliasTable;
}

/** Without the response cache. */
async function firstHits(
  context: ApiContext,
  { index, search }: ComparedSide,
  { q, filter, limit, access, caller, aliases }: OneQuery,
): Promise<{ readonly ids: readonly string[]; readonly milliseconds: number }> {
  const { primaryKey, settings } = index.manifest;
  const startMs = context.clock.monotonic();
  const body = {
    ...search,
    filter: bothFilters(search.filter, filter, 'invalid_search_filter'),
    q,
    limit,
    attributesToRetrieve: primaryKey === null ? [] : [primaryKey],
  };
  const asked = toSearchRequest(body, searchConditions(context, index, access, aliases));
  const request: SearchRequest = await withQueryVector(context, index, asked, caller);
  const work = { kind: 'search', request, requestUid: caller.requestUid, spentMs: 0 } as const;
  const reader = new IndexReader(context, { index, work, access });
  if (!reader.isReadable) await reader.whenReadable();
  const { body: found } = await reader.read(caller);
  const bytes = await withRerankedHits(
    context,
    { settings, request: asked, answer: found },
    caller,
  );
  const milliseconds = context.clock.monotonic() - startMs;
  return { ids: idsOf(bytes, index.manifest.uid, primaryKey), milliseconds };
}

function idsOf(answer: Uint8Array, uid: string, primaryKey: string | null): readonly string[] {
  const { hits } = JSON.parse(Buffer.from(answer).toString()) as {
    readonly hits: readonly Readonly<Record<string, unknown>>[];
  };
  return hits.map((hit) => {
    const id = primaryKey === null ? undefined : primaryKeyValue(hit, primaryKey);
    if (id !== undefined) return String(id);
    throw new ApiError(
      'bad_request',
      `Hits of \`${uid}\` do not show the primary key \`${primaryKey}\`, by which lists are compared; add it to \`displayedAttributes\`.`,
    );
  });
}
