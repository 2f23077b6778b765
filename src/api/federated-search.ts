/**
 * A multi-search with `federation`: checks it, asks each index once for all of its queries, merges
 * (relevance.md 7.6, api.md 9.3).
 */

import type { Access } from '../auth/access.ts';
import { mapInParallel } from '../core/bounded-parallel.ts';
import type { Requester } from '../core/caller.ts';
import { ApiError, toWire } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { StepTimes } from '../core/step-times.ts';
import type { PublishedIndex } from '../ipc/published-indexes.ts';
import type {
  FederatedPart,
  FederatedQuery,
  FederatedSearch,
  RankedQuery,
} from '../model/federation.ts';
import type { Federation, MultiSearchQuery } from '../model/multi-search-schema.ts';
import type { ApiContext } from './context.ts';
import {
  checkParts,
  errorInside,
  type FederatedFacts,
  type FederatedPage,
  type FederationPlan,
  type IndexAnswer,
  windowOf,
  writeFederatedAnswer,
} from './federated-answer.ts';
import { queryRequest, requireNamedIndex } from './multi-search-request.ts';
import { askIndex } from './published-index.ts';
import { type SearchMetadata, searchMetadata, withMetadata } from './search-metadata.ts';
import { type SearchConditions, searchConditions } from './search-request.ts';
import { withQueryVector } from './semantic-query.ts';

/** Indexes asked at once for one request, so that none takes the whole pool. */
const PARALLEL_INDEXES_MAX = 8;

/** An index with its queries, before anything has run. */
interface IndexWork {
  readonly index: PublishedIndex;
  readonly search: FederatedSearch;
  /** The first query whose request is wrong by itself; those behind it are not in `search`. */
  readonly refused: RankedQuery | null;
}

export interface FederatedCall {
  readonly queries: readonly MultiSearchQuery[];
  readonly federation: Federation;
  readonly hasMetadata: boolean;
  readonly access: Access;
  readonly caller: Requester;
  readonly facts: () => FederatedFacts;
}

/** The body of the answer. Throws `ApiError`. */
export async function searchFederated(
  context: ApiContext,
  call: FederatedCall,
): Promise<Uint8Array> {
  const { queries, federation, hasMetadata, caller, facts } = call;
  checkFederation(queries, federation);
  const page = pageOf(federation);
  const work = await workByIndex(context, call, page);
  const { monotonic } = context.clock;
  const times = federation.showPerformanceDetails ? new StepTimes(monotonic) : null;
  const answers = await mapInParallel(work, PARALLEL_INDEXES_MAX, async (each) => {
    const startMs = monotonic();
    const answer = await ask(context, each, caller);
    times?.add(`search > ${answer.indexUid}`, monotonic() - startMs);
    return answer;
  });
  times?.end('search');
  checkParts(answers);
  const plan: FederationPlan = {
    page,
    isDistinct: isGiven(federation.distinct),
    mergeFacets: federation.mergeFacets
      ? { valuesMax: federation.mergeFacets.maxValuesPerFacet ?? null }
      : null,
  };
  const answer = writeFederatedAnswer(answers, plan, () => {
    times?.end('merge');
    return { ...facts(), ...(times && { performanceDetails: times.details }) };
  });
  return hasMetadata ? withMetadata(answer, metadataOf(queries, work)) : answer;
}

/** One entry for each query, in their order. */
function metadataOf(
  queries: readonly MultiSearchQuery[],
  work: readonly IndexWork[],
): readonly SearchMetadata[] {
  const indexes = new Map(work.map(({ index }) => [index.manifest.uid, index]));
  return queries.map(({ indexUid, q }) => {
    const index = indexes.get(indexUid);
    if (index === undefined) throw new Error(`index ${indexUid} was not searched`);
    return searchMetadata(index, q);
  });
}

const isGiven = <T>(value: T): value is NonNullable<T> => value !== null && value !== undefined;

function checkFederation(queries: readonly MultiSearchQuery[], federation: Federation): void {
  for (const [position, query] of queries.entries()) checkQuery(query, position, federation);
  if (isGiven(federation.personalize)) {
    throw new ApiError(
      'feature_not_enabled',
      '`federation.personalize` needs the experimental feature `personalization`, which this server does not offer.',
    );
  }
}

/** What a federated query may not say because the federation says it for all. */
function checkQuery(query: MultiSearchQuery, position: number, federation: Federation): void {
  const refuse = (code: ApiError['code'], message: string): never => {
    throw errorInside(`queries[${position}]`, { code, message });
  };
  for (const name of ['limit', 'offset', 'page', 'hitsPerPage'] as const) {
    if (!isGiven(query[name])) continue;
    const hint = `Give \`federation.${name}\` instead, or leave \`federation\` out to have each query answered apart.`;
    refuse(
      'invalid_multi_search_query_pagination',
      `\`${name}\` is not allowed in a federated query. ${hint}`,
    );
  }
  if ((query.facets ?? []).length > 0) {
    const place = `\`federation.facetsByIndex.${query.indexUid}\``;
    refuse(
      'invalid_multi_search_query_facets',
      `\`facets\` are not allowed in a federated query. Name the attributes in ${place} instead.`,
    );
  }
  if (isGiven(query.personalize)) {
    refuse(
      'invalid_multi_search_query_personalization',
      '`personalize` is not allowed in a federated query. Give `federation.personalize` instead.',
    );
  }
  if (query.showPerformanceDetails) {
    refuse(
      'invalid_multi_search_query_show_performance_details',
      '`showPerformanceDetails` is not allowed in a federated query. Give `federation.showPerformanceDetails` instead.',
    );
  }
  if (isGiven(query.distinct) && isGiven(federation.distinct)) {
    refuse(
      'invalid_multi_search_distinct',
      '`distinct` is not allowed in a query when `federation.distinct` is given. Keep one of the two.',
    );
  }
  for (const name of ['remote', 'queryPosition'] as const) {
    if (!isGiven(query.federationOptions?.[name])) continue;
    refuse(
      'feature_not_enabled',
      `\`federationOptions.${name}\` needs the experimental feature \`network\`, which this server does not offer.`,
    );
  }
}

function pageOf({ limit, offset, page, hitsPerPage }: Federation): FederatedPage {
  if (isGiven(page) || isGiven(hitsPerPage))
    return { page: page ?? 1, hitsPerPage: hitsPerPage ?? limits.pageItemsDefault };
  return { offset: offset ?? 0, limit: limit ?? limits.pageItemsDefault };
}

/** One entry for each index that is searched or whose facets are asked for, by uid. */
async function workByIndex(
  context: ApiContext,
  call: FederatedCall,
  page: FederatedPage,
): Promise<IndexWork[]> {
  const { queries, federation, access } = call;
  const byUid = new Map<
    string,
    { readonly query: MultiSearchQuery; readonly position: number }[]
  >();
  const indexes = new Map<string, PublishedIndex>();
  queries.forEach((query, position) => {
    indexes.set(query.indexUid, requireNamedIndex(context, access, query.indexUid, null));
    const same = byUid.get(query.indexUid);
    if (same === undefined) byUid.set(query.indexUid, [{ query, position }]);
    else same.push({ query, position });
  });
  const facetsByIndex = new Map(Object.entries(federation.facetsByIndex ?? {}));
  for (const uid of facetsByIndex.keys()) {
    indexes.set(uid, requireNamedIndex(context, access, uid, 'federation.facetsByIndex'));
  }
  const isAlone = indexes.size === 1;
  const inOrder = [...indexes].sort(([a], [b]) => (a < b ? -1 : 1));
  return Promise.all(
    inOrder.map(async ([uid, index]): Promise<IndexWork> => {
      const prepared = await prepareQueries(
        context,
        byUid.get(uid) ?? [],
        searchConditions(context, index, access),
        index,
        federation,
        page,
      );
      const { accepted, refused } = prepared;
      const { offset, limit } = windowOf(page);
      const window = isAlone ? { offset, limit } : { offset: 0, limit: offset + limit };
      const distinct = federation.distinct ?? null;
      return {
        index,
        refused,
        search: { queries: accepted, window, distinct, facets: facetsByIndex.get(uid) ?? null },
      };
    }),
  );
}

interface PreparedQueries {
  readonly accepted: readonly FederatedQuery[];
  readonly refused: RankedQuery | null;
}

/** Requests of the queries up to the first that is wrong by itself. */
async function prepareQueries(
  context: ApiContext,
  asked: readonly { readonly query: MultiSearchQuery; readonly position: number }[],
  conditions: SearchConditions,
  index: PublishedIndex,
  federation: Federation,
  page: FederatedPage,
): Promise<PreparedQueries> {
  const { offset, limit } = windowOf(page);
  const reach = offset + limit;
  const window =
    'page' in page
      ? { offset: 0, limit: 0, page: 1, hitsPerPage: reach }
      : { offset: 0, limit: reach };
  const accepted: FederatedQuery[] = [];
  for (const { query, position } of asked) {
    try {
      const given = queryRequest(query, conditions);
      const request = { ...(await withQueryVector(context, index, given)), ...window };
      const distinct = federation.distinct ?? request.distinct;
      accepted.push({
        request: { ...request, distinct },
        position,
        weight: query.federationOptions?.weight ?? 1,
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return {
        accepted,
        refused: {
          position,
          rules: null,
          queryVector: null,
          isSemantic: false,
          error: toWire(error),
        },
      };
    }
  }
  return { accepted, refused: null };
}

async function ask(context: ApiContext, work: IndexWork, caller: Requester): Promise<IndexAnswer> {
  const { index, search, refused } = work;
  const indexUid = index.manifest.uid;
  const { body: bytes, part } = await askIndex(
    context,
    index,
    { kind: 'federated', search },
    caller,
  );
  if (part === undefined) throw new Error('a federated search came back without its hits');
  const queries =
    refused === null || part.queries.some(({ error }) => error)
      ? part.queries
      : [...part.queries, refused];
  const whole: FederatedPart = { ...part, queries };
  return { indexUid, bytes, part: whole };
}
