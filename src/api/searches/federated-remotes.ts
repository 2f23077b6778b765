/** The remote part of a federated search, and the requests to remote instances. */
import type { Access } from '../../auth/access.ts';
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError, type ErrorEnvelope, toEnvelope, toWire } from '../../core/errors.ts';
import type { StepTimes } from '../../core/step-times.ts';
import type { Federation } from '../../model/schemas/multi-search-schema.ts';
import type { RemoteAnswer } from '../../network/remote-answer.ts';
import type { ApiContext } from '../contract/context.ts';
import { type FederatedPage, type IndexAnswer, windowOf } from './federated-answer.ts';
import { boundFilter, type PlacedQuery } from './network-queries.ts';

/** Concurrent remote requests per request. */
const PARALLEL_REMOTES_MAX = 16;

/** Inputs of the requests to remote instances. */
interface RemoteQueries {
  readonly placed: readonly PlacedQuery[];
  readonly federation: Federation;
  readonly page: FederatedPage;
  readonly access: Access;
  readonly caller: Requester;
  /** null unless the request asks for performance details. */
  readonly times: StepTimes | null;
}

interface RemoteAnswers {
  readonly answers: readonly IndexAnswer[];
  /** By the name of the instance. */
  readonly errors: Record<string, ErrorEnvelope>;
}

/** Rejects when the caller's request ends, never because of a remote instance. */
export async function askRemotes(
  context: ApiContext,
  asked: RemoteQueries,
): Promise<RemoteAnswers> {
  const byRemote = new Map<string, PlacedQuery[]>();
  for (const each of asked.placed) {
    if (each.remote === null) continue;
    byRemote.set(each.remote, [...(byRemote.get(each.remote) ?? []), each]);
  }
  const { signal } = asked.caller;
  const errors: Record<string, ErrorEnvelope> = {};
  const groups = [...byRemote];
  const answers = await mapInParallel(groups, PARALLEL_REMOTES_MAX, async ([name, queries]) => {
    const startMs = context.clock.monotonic();
    try {
      const body = remoteBody(asked, queries);
      return indexAnswers(
        await context.remoteSearches.federated(context.network, name, body, signal),
      );
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof ApiError)) throw error;
      errors[name] = toEnvelope(toWire(error));
      return [];
    } finally {
      asked.times?.add(`search > remote ${name}`, context.clock.monotonic() - startMs);
    }
  });
  return { answers: answers.flat(), errors };
}

/** The body for a remote instance: all hits that may be on the page, and its facets. */
function remoteBody(
  { federation, page, access }: RemoteQueries,
  queries: readonly PlacedQuery[],
): object {
  const { offset, limit } = windowOf(page);
  const reach = offset + limit;
  const uids = new Set(queries.map(({ query }) => query.indexUid));
  const facetsByIndex = Object.entries(federation.facetsByIndex ?? {}).filter(([uid]) =>
    uids.has(uid),
  );
  return {
    queries: queries.map(({ query: { useNetwork: _, ...query }, position }) => ({
      ...query,
      filter: boundFilter(access.searchFilter(query.indexUid), query.filter),
      federationOptions: {
        weight: query.federationOptions?.weight ?? 1,
        queryPosition: position,
      },
    })),
    federation: {
      ...('page' in page ? { page: 1, hitsPerPage: reach } : { offset: 0, limit: reach }),
      ...(federation.distinct != null && { distinct: federation.distinct }),
      facetsByIndex: Object.fromEntries(facetsByIndex),
    },
  };
}

/** One answer with the hits, and one per index with facets. */
function indexAnswers(answer: RemoteAnswer): IndexAnswer[] {
  const { hits, bytes, candidateCount, facets, isSemantic, queryVectors } = answer;
  const ranked = { rules: null, isSemantic, error: null };
  const queries = [...queryVectors].map(([position, queryVector]) => ({
    ...ranked,
    position,
    queryVector,
  }));
  const own = queries.length > 0 ? queries : [{ ...ranked, position: 0, queryVector: null }];
  return [
    {
      indexUid: '',
      bytes,
      part: { queries: own, hits, candidateCount, groupedCount: null, facets: null },
    },
    ...facets.map(({ indexUid, tables }) => ({
      indexUid,
      bytes,
      part: { queries: [], hits: [], candidateCount: 0, groupedCount: null, facets: tables },
    })),
  ];
}
