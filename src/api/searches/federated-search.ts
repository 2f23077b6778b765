/**
 * A multi-search with `federation`: checks it, queries each index once for all of its queries, with
 * groups or a distinct field all indexes together, and merges the results (relevance.md 7.6, api.md 9.3).
 */

import type { Access } from '../../auth/access.ts';
import { requireReach } from '../../auth/authorize.ts';
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError, type ErrorEnvelope, toWire } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { isGiven } from '../../core/is-given.ts';
import { limits } from '../../core/limits.ts';
import { toProcessMs } from '../../core/process-clock.ts';
import { StepTimes } from '../../core/step-times.ts';
import { TimeSlices } from '../../core/time-slices.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import {
  type FederatedGrouping,
  type FederatedPart,
  type FederatedQuery,
  type FederatedSearch,
  isTables,
  type RankedQuery,
} from '../../model/federation.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { Pin } from '../../model/rule-pins.ts';
import type { Federation, MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import { AnswerSize } from './answer-size.ts';
import { checkParts, type FederationPlan, writeFederatedAnswer } from './federated-answer.ts';
import { checkFederation, checkRerank, refuseInvalidFilters } from './federated-checks.ts';
import type { AskForGroups, GroupsQuestion, SharedGrouping } from './federated-groups.ts';
import { federatedJoins } from './federated-joins.ts';
import { type FederatedPage, mergedWindow, windowOf } from './federated-page.ts';
import { askRemote, askRemotes } from './federated-remotes.ts';
import type { IndexAnswer } from './index-answer.ts';
import { IndexReader } from './index-reader.ts';
import { bodyOfQuery, FACETS_PATH, requireNamedIndex } from './multi-search-request.ts';
import { asksRemotes, type PlacedQuery, placeQueries } from './network-queries.ts';
import { type FederatedRerank, rerankOfFederation } from './reranked-search.ts';
import { type SearchMetadata, searchMetadata, withMetadata } from './search-metadata.ts';
import { searchConditions, toSearchRequest } from './search-request.ts';
import { withQueryVector } from './semantic-query.ts';

/** Concurrent index reads per request, so that one request does not take the entire pool. */
const PARALLEL_INDEXES_MAX = 8;
/** Concurrent embedding requests for the queries of one index. */
const PARALLEL_VECTORS_MAX = 8;

/** Bytes of a number of a vector as JSON, about. */
const VECTOR_NUMBER_BYTES = 12;
/** Bytes of a count or of the number of a group, without its value. */
const NUMBER_BYTES = 8;
const NO_BYTES = new Uint8Array(0);

/** An index with its queries, before they run. */
interface IndexWork {
  readonly index: PublishedIndex;
  readonly search: FederatedSearch;
  /** The first query with an invalid request; later queries are not in `search`. */
  readonly refused: RankedQuery | null;
}

interface FederatedCall {
  readonly queries: readonly MultiSearchQuery[];
  readonly federation: Federation;
  readonly hasMetadata: boolean;
  /** True if another instance sent the request and merges the hits with its own. */
  readonly isForPeer: boolean;
  readonly access: Access;
  /** Access that decides which indexes of foreign keys are included; null = none. */
  readonly foreignAccess: Access | null;
  readonly caller: Requester;
  /** In milliseconds of the context's monotonic clock. */
  readonly arrivedAtMs: number;
  /** Present if the answer has the form of a plain search. */
  readonly plainQuery?: string;
}

interface FederatedResult {
  /** The body of the answer. */
  readonly parts: readonly Uint8Array[];
  /** One per query; null if not requested. */
  readonly metadata: readonly SearchMetadata[] | null;
  /** Indexes that were searched here, each with the pins of its queries. */
  readonly searched: readonly { readonly manifest: IndexManifest; readonly pins: readonly Pin[] }[];
}

interface Asked extends FederatedCall {
  readonly page: FederatedPage;
  readonly size: AnswerSize;
  readonly placed: readonly PlacedQuery[];
  readonly isNetworked: boolean;
  readonly times: StepTimes | null;
  /** Gets the error of each remote instance that fails, by its name. */
  readonly remoteErrors: Record<string, ErrorEnvelope>;
  readonly slices: TimeSlices;
}

/** @throws ApiError for an invalid filter of any query before all other errors */
export async function searchFederated(
  context: ApiContext,
  call: FederatedCall,
): Promise<FederatedResult> {
  try {
    return await answerFederated(context, call);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) {
      const slices = new TimeSlices(context.clock.monotonic, call.caller);
      await refuseInvalidFilters(call.queries, context.features, slices);
    }
    throw error;
  }
}

async function answerFederated(context: ApiContext, call: FederatedCall): Promise<FederatedResult> {
  const { queries, federation, hasMetadata, arrivedAtMs, caller } = call;
  checkFederation(call);
  const { monotonic } = context.clock;
  const times = federation.showPerformanceDetails ? new StepTimes(monotonic) : null;
  const page = pageOf(federation);
  const size = new AnswerSize(context.config, caller);
  const placing = placeQueries(context, queries);
  checkRerank(placing, federation);
  const joins = federatedJoins(context, call, placing);
  const slices = new TimeSlices(monotonic, caller);
  const resolved = await joins?.withIds(call.access, slices);
  const remoteErrors: Record<string, ErrorEnvelope> = {};
  const asked: Asked = {
    ...call,
    ...placing,
    ...resolved,
    page,
    times,
    size,
    remoteErrors,
    slices,
  };
  const { work, missing } = await workByIndex(context, asked);
  const [here, elsewhere] = await Promise.all([
    searchHere(context, asked, work),
    askRemotes(context, asked),
  ]);
  times?.end('search');
  if (asksRemotes(asked)) caller.signal?.throwIfAborted();
  checkParts(here, isGiven(federation.mergeFacets));
  if (missing !== null) throw missing;
  const plan: FederationPlan = {
    page,
    rerank: federatedRerank(context, call, work),
    isDistinct: isGiven(federation.distinct),
    grouping: sharedGrouping(context, asked, work),
    isPartOfGroups: call.isForPeer && isGiven(federation.groupBy),
    queriedUids: new Set([...queries, ...elsewhere].map(({ indexUid }) => indexUid)),
    retrievesVectors: queries.some(({ retrieveVectors }) => retrieveVectors === true),
    mergeFacets: federation.mergeFacets
      ? { valuesMax: federation.mergeFacets.maxValuesPerFacet ?? null }
      : null,
    remoteErrors: asked.isNetworked ? remoteErrors : null,
    hydrate: joins && ((hits, slices) => joins.hydrate(hits, remoteErrors, size, slices)),
    plainQuery: call.plainQuery ?? null,
  };
  const answer = await writeFederatedAnswer([...here, ...elsewhere], plan, slices, () => {
    times?.end('merge');
    return {
      requestUid: caller.requestUid,
      processingTimeMs: Math.floor(monotonic() - arrivedAtMs),
      ...(times && { performanceDetails: times.details }),
    };
  });
  const metadata = hasMetadata ? metadataOf(asked.placed, work) : null;
  const end = metadata === null ? undefined : answer.pop();
  if (end !== undefined && metadata !== null) answer.push(withMetadata(end, metadata));
  const searched = work.map(({ index: { manifest }, search }) => {
    return { manifest, pins: search.queries.flatMap(({ request }) => request.pins ?? []) };
  });
  return { parts: answer, metadata, searched };
}

/** null unless other instances have documents of the groups. */
function sharedGrouping(
  context: ApiContext,
  asked: Asked,
  work: readonly IndexWork[],
): SharedGrouping | null {
  const grouping = groupingOf(asked);
  if (grouping === null || !asksRemotes(asked)) return null;
  const { size } = asked;
  const ask: AskForGroups = async (remote, question) => {
    if (remote === null) {
      const found = await searchHere(context, asked, workForGroups(work, grouping, question));
      checkParts(found, false);
      return found;
    }
    const found = await askRemote(context, asked, remote, question);
    for (const { bytes } of found?.slice(0, 1) ?? []) size.add(bytes.length);
    return found;
  };
  return { groupSize: grouping.groupSize, ask };
}

/** The same queries for hits that follow other groups, or for the documents of these groups. */
const workForGroups = (
  work: readonly IndexWork[],
  grouping: FederatedGrouping,
  { preceding, limit }: GroupsQuestion,
): readonly IndexWork[] =>
  work.map((each) => ({
    ...each,
    search: {
      ...each.search,
      window: { offset: 0, limit },
      grouping: { ...grouping, preceding },
      facets: null,
      queries: limit > 0 ? each.search.queries : each.search.queries.map(withoutHits),
    },
  }));

const withoutHits = (query: FederatedQuery): FederatedQuery => ({
  ...query,
  request: { ...query.request, offset: 0, limit: 0, page: null, hitsPerPage: null },
});

/** null without `federation.rerank`. */
function federatedRerank(
  context: ApiContext,
  { federation: { rerank }, queries, caller }: FederatedCall,
  work: readonly IndexWork[],
): FederatedRerank | null {
  if (!isGiven(rerank)) return null;
  const settings = new Map(
    work.map(({ index: { manifest } }) => [manifest.uid, manifest.settings]),
  );
  const asked = queries.map(({ indexUid, q, showRankingScore }) => ({
    settings: settings.get(indexUid),
    q: q ?? '',
    showsScore: showRankingScore === true,
  }));
  return rerankOfFederation(context, rerank, asked, caller);
}

async function searchHere(
  context: ApiContext,
  { federation, times, caller, foreignAccess, isNetworked, size }: Asked,
  work: readonly IndexWork[],
): Promise<IndexAnswer[]> {
  const broughtBy = isNetworked ? null : foreignAccess;
  const tasks: readonly (readonly IndexWork[])[] =
    searchesTogether(federation) && work.length > 0 ? [work] : work.map((each) => [each]);
  const answers = await mapInParallel(tasks, PARALLEL_INDEXES_MAX, async (task) => {
    const startMs = context.clock.monotonic();
    const found = await ask(context, task, caller, broughtBy);
    for (const { bytes, part } of found) size.add(bytes.length + memberBytes(part));
    const uids = found.map(({ indexUid }) => indexUid).join(', ');
    times?.add(`search > ${uids}`, context.clock.monotonic() - startMs);
    return found;
  });
  return answers.flat();
}

/** Hits of one index decide which documents of another count. */
const searchesTogether = ({ groupBy, distinct }: Federation): boolean =>
  isGiven(groupBy) || isGiven(distinct);

/** About the bytes of facets, groups and query vectors, which are written here. */
function memberBytes({ facets, queries, groupFacts }: FederatedPart): number {
  let bytes = 0;
  for (const values of groupFacts?.combinations ?? [])
    for (const { length } of values) bytes += length + NUMBER_BYTES;
  for (const values of groupFacts?.facets?.values() ?? [])
    for (const { combinations } of values.values()) bytes += combinations.length * NUMBER_BYTES;
  for (const { queryVector } of queries) bytes += (queryVector?.length ?? 0) * VECTOR_NUMBER_BYTES;
  if (!isTables(facets)) return bytes;
  for (const { values } of facets)
    for (const value of values.keys()) bytes += value.length + NUMBER_BYTES;
  return bytes;
}

/** One entry per query, in order. */
function metadataOf(
  placed: readonly PlacedQuery[],
  work: readonly IndexWork[],
): readonly SearchMetadata[] {
  const indexes = new Map(work.map(({ index }) => [index.manifest.uid, index]));
  return placed.map(({ query: { indexUid, q }, remote }) => {
    if (remote !== null) return searchMetadata({ indexUid, remote }, q);
    const index = indexes.get(indexUid);
    if (index === undefined) throw new Error(`index ${indexUid} was not searched`);
    return searchMetadata(index, q);
  });
}

function pageOf({ limit, offset, page, hitsPerPage }: Federation): FederatedPage {
  if (isGiven(page) || isGiven(hitsPerPage))
    return { page: page ?? 1, hitsPerPage: hitsPerPage ?? limits.pageItemsDefault };
  return { offset: offset ?? 0, limit: limit ?? limits.pageItemsDefault };
}

interface PlannedWork {
  readonly work: readonly IndexWork[];
  /** The error of the first index that does not exist; indexes after it are not in `work`. */
  readonly missing: ApiError | null;
}

/**
 * One entry per index that is searched here or whose facets are requested: first those with
 * queries, each by uid. Facets of an index that only remotes search come from the remotes.
 */
async function workByIndex(context: ApiContext, asked: Asked): Promise<PlannedWork> {
  const { placed, federation, access, page, isNetworked, isForPeer } = asked;
  const byUid = new Map<string, PlacedQuery[]>();
  const remoteUids = new Set<string>();
  for (const each of placed) {
    const { indexUid } = each.query;
    requireReach(access, indexUid);
    if (each.remote !== null) remoteUids.add(indexUid);
    else getOrCompute(byUid, indexUid, () => []).push(each);
  }
  const facetsByIndex = new Map(Object.entries(federation.facetsByIndex ?? {}));
  const furtherUids = [...facetsByIndex.keys()].filter(
    (uid) => !byUid.has(uid) && !remoteUids.has(uid),
  );
  for (const uid of furtherUids) requireReach(access, uid);
  const { indexes, missing } = publishedIndexes(context, access, [
    ...[...byUid.keys()].sort().map((uid) => ({ uid, path: null })),
    ...furtherUids.sort().map((uid) => ({ uid, path: FACETS_PATH })),
  ]);
  const grouping = groupingOf(asked);
  const isMergedHere = indexes.length > 1 && !searchesTogether(federation);
  const isWhole = remoteUids.size === 0 && !isMergedHere;
  const work = await mapInParallel(
    indexes,
    PARALLEL_INDEXES_MAX,
    async (index): Promise<IndexWork> => {
      const { uid } = index.manifest;
      const queries = byUid.get(uid) ?? [];
      const { accepted, refused } = await prepareQueries(context, index, queries, asked);
      const { offset, limit } = hitsToMerge(page, federation);
      return {
        index,
        refused,
        search: {
          queries: accepted,
          window: isWhole ? { offset, limit } : { offset: 0, limit: offset + limit },
          distinct: federation.distinct ?? null,
          grouping,
          facets: facetsByIndex.get(uid) ?? null,
          mergesFacets: isGiven(federation.mergeFacets) && (grouping?.preceding ?? null) === null,
          isShared: isSharedSearch(asked),
          remote: isNetworked ? context.network.self : null,
          isForPeer,
        },
      };
    },
  );
  return { work, missing };
}

/** The indexes up to the first that does not exist, and its error. @param path as in `requireNamedIndex` */
function publishedIndexes(
  context: ApiContext,
  access: Access,
  named: readonly { readonly uid: string; readonly path: string | null }[],
): { readonly indexes: readonly PublishedIndex[]; readonly missing: ApiError | null } {
  const indexes: PublishedIndex[] = [];
  for (const { uid, path } of named) {
    try {
      indexes.push(requireNamedIndex(context, access, uid, path));
    } catch (error) {
      if (error instanceof ApiError) return { indexes, missing: error };
      throw error;
    }
  }
  return { indexes, missing: null };
}

const hitsToMerge = (page: FederatedPage, { rerank }: Federation) =>
  isGiven(rerank) ? mergedWindow(page, rerank.topN ?? limits.rerankDefault) : windowOf(page);

/** null without `groupBy`. */
const groupsOf = ({ groupBy, groupSize }: Federation) =>
  isGiven(groupBy) ? { groupBy, groupSize: groupSize ?? limits.groupSizeDefault } : null;

const isSharedSearch = (asked: Pick<Asked, 'isForPeer' | 'placed'>): boolean =>
  asked.isForPeer || asksRemotes(asked);

function groupingOf(
  asked: Pick<Asked, 'federation' | 'isForPeer' | 'placed'>,
): FederatedGrouping | null {
  const groups = groupsOf(asked.federation);
  if (groups === null) return null;
  return {
    ...groups,
    preceding: isSharedSearch(asked) ? (asked.federation.precedingGroups ?? []) : null,
  };
}

interface PreparedQueries {
  readonly accepted: readonly FederatedQuery[];
  readonly refused: RankedQuery | null;
}

/** Requests of the queries up to the first invalid one. */
async function prepareQueries(
  context: ApiContext,
  index: PublishedIndex,
  queries: readonly PlacedQuery[],
  {
    federation,
    page,
    access,
    caller,
    slices,
  }: Pick<Asked, 'federation' | 'page' | 'access' | 'caller' | 'slices'>,
): Promise<PreparedQueries> {
  const conditions = searchConditions(context, index, access);
  const { offset, limit } = hitsToMerge(page, federation);
  const reach = offset + limit;
  const window =
    'page' in page
      ? { offset: 0, limit: 0, page: 1, hitsPerPage: reach }
      : { offset: 0, limit: reach };
  const requests: FederatedQuery[] = [];
  let refused: RankedQuery | null = null;
  for (const { query, position } of queries) {
    await slices.between();
    try {
      const rerank = federation.rerank ?? null;
      const body = bodyOfQuery({ ...query, rerank });
      const request = { ...toSearchRequest(body, conditions), ...window };
      const distinct = federation.distinct ?? request.distinct;
      const weight = query.federationOptions?.weight ?? 1;
      const grouped = { ...request, distinct, ...groupsOf(federation) };
      requests.push({ request: grouped, position, weight });
    } catch (error) {
      refused = refusedQuery(position, error);
      break;
    }
  }
  const accepted: FederatedQuery[] = [];
  const vectors = await mapInParallel(requests, PARALLEL_VECTORS_MAX, ({ request }) =>
    withQueryVector(context, index, request, caller).catch((error: unknown) => {
      if (caller.signal?.aborted === true) throw error;
      return { error };
    }),
  );
  for (const [at, query] of requests.entries()) {
    const request = vectors[at] as (typeof vectors)[number];
    if ('error' in request)
      return { accepted, refused: refusedQuery(query.position, request.error) };
    accepted.push({ ...query, request });
  }
  return { accepted, refused };
}

/** @throws unexpected errors */
function refusedQuery(position: number, error: unknown): RankedQuery {
  if (!(error instanceof ApiError)) throw error;
  const wire = toWire(error);
  return { position, rules: null, queryVector: null, isSemantic: false, error: wire };
}

/** Shared by all searches of the request. */
const cutoffOf = ({ receivedAtMs }: Requester) =>
  receivedAtMs === undefined ? {} : { cutoffSinceMs: toProcessMs(receivedAtMs) };

/**
 * The answers by index of one task; the first has the hits of all. @param access null if several
 * instances answer, because this instance joins after the merge
 */
async function ask(
  context: ApiContext,
  work: readonly IndexWork[],
  caller: Requester,
  access: Access | null,
): Promise<IndexAnswer[]> {
  const [first, ...further] = work;
  if (first === undefined) return [];
  const federated = { kind: 'federated', search: first.search, ...cutoffOf(caller) } as const;
  const reader = new IndexReader(context, { index: first.index, work: federated, access, further });
  await reader.whenReadable();
  const { body, parts } = await reader.read(caller);
  return work.map(({ index, refused }, i) => {
    const part = parts?.[i];
    if (part === undefined) throw new Error('a federated search came back without its hits');
    const queries =
      refused === null || part.queries.some(({ error }) => error)
        ? part.queries
        : [...part.queries, refused];
    const whole: FederatedPart = { ...part, queries };
    const bytes = i === 0 ? body : NO_BYTES;
    return { indexUid: index.manifest.uid, remote: null, bytes, part: whole };
  });
}
