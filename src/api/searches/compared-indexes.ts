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
import type { ComparedSearch } from '../../model/schemas/comparison-schema.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { ApiContext } from '../contract/context.ts';
import { IndexReader } from './index-reader.ts';
import { withRerankedHits } from './reranked-search.ts';
import { searchConditions, toSearchRequest } from './search-request.ts';
import { withQueryVector } from './semantic-query.ts';

/** Part of the time limit of the request in which new queries begin. */
const TIME_SHARE = 0.8;

export interface ComparedSide {
  readonly index: PublishedIndex;
  readonly search: ComparedSearch;
}

interface ComparisonCall {
  readonly base: ComparedSide;
  readonly candidate: ComparedSide;
  readonly queries: readonly Pick<ComparedQuery, 'q' | 'wanted'>[];
  /** First hits that are compared. */
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
  const ask = (side: ComparedSide, q: string) =>
    firstHits(context, side, { q, limit, access, caller, aliases });
  let compared = 0;
  for (const { q, wanted } of queries) {
    if (clock.monotonic() >= endMs) break;
    // Each index comes first for half of the queries, since the second one profits from warm caches.
    const isBaseFirst = compared % 2 === 0;
    const first = await ask(isBaseFirst ? base : candidate, q);
    const second = await ask(isBaseFirst ? candidate : base, q);
    const [ofBase, ofCandidate] = isBaseFirst ? [first, second] : [second, first];
    report.add({
      q,
      wanted,
      base: ofBase.ids,
      candidate: ofCandidate.ids,
      baseMs: ofBase.milliseconds,
      candidateMs: ofCandidate.milliseconds,
    });
    compared += 1;
  }
  return { ...report.result(), isComplete: compared === queries.length };
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

interface OneQuery extends Pick<ComparisonCall, 'limit' | 'access' | 'caller'> {
  readonly q: string;
  readonly aliases: AliasTable;
}

/** Without the response cache. */
async function firstHits(
  context: ApiContext,
  { index, search }: ComparedSide,
  { q, limit, access, caller, aliases }: OneQuery,
): Promise<{ readonly ids: readonly string[]; readonly milliseconds: number }> {
  const { primaryKey, settings } = index.manifest;
  const startMs = context.clock.monotonic();
  const body = {
    ...search,
    q,
    limit,
    attributesToRetrieve: primaryKey === null ? [] : [primaryKey],
  };
  const asked = toSearchRequest(body, searchConditions(context, index, access, aliases));
  const request: SearchRequest = await withQueryVector(context, index, asked, caller);
  const work = { kind: 'search', request, requestUid: caller.requestUid, spentMs: 0 } as const;
  const reader = new IndexReader(context, index, work, access);
  if (!reader.isReadable) await reader.whenReadable();
  const { body: found } = await reader.read(caller);
  const bytes = await withRerankedHits(context, settings, asked, found, caller);
  const milliseconds = context.clock.monotonic() - startMs;
  return { ids: idsOf(bytes, index.manifest.uid, primaryKey), milliseconds };
}

function idsOf(answer: Uint8Array, uid: string, primaryKey: string | null): readonly string[] {
  const { hits } = JSON.parse(Buffer.from(answer).toString()) as {
    readonly hits: readonly Readonly<Record<string, unknown>>[];
  };
  return hits.map((hit) => {
    const id = hit[primaryKey ?? ''];
    if (id !== undefined) return String(id);
    throw new ApiError(
      'bad_request',
      `Hits of \`${uid}\` do not show the primary key \`${primaryKey}\`, by which lists are compared; add it to \`displayedAttributes\`.`,
    );
  });
}
