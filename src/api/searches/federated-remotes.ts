/** The remote part of a federated search, and the requests to remote instances. */
import type { Access } from '../../auth/access.ts';
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { Requester } from '../../core/caller.ts';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import type { StepTimes } from '../../core/step-times.ts';
import { bothFilters } from '../../model/filter/filter-form.ts';
import { PARALLEL_INSTANCES_MAX } from '../../model/network.ts';
import type { Federation } from '../../model/schemas/multi-search-schema.ts';
import type { RemoteAnswer } from '../../network/remote-answer.ts';
import type { ApiContext } from '../contract/context.ts';
import type { GroupsQuestion } from './federated-groups.ts';
import { type FederatedPage, windowOf } from './federated-page.ts';
import type { IndexAnswer } from './index-answer.ts';
import { orNullIfRemoteFails, type PlacedQuery } from './network-queries.ts';

const FILTER_CODE = 'invalid_search_filter';

interface RemoteQueries {
  readonly placed: readonly PlacedQuery[];
  readonly federation: Federation;
  readonly page: FederatedPage;
  readonly access: Access;
  readonly caller: Requester;
  /** null unless the request asks for performance details. */
  readonly times: StepTimes | null;
  /** Gets the error of each remote instance that fails, by its name. */
  readonly remoteErrors: Record<string, ErrorEnvelope>;
}

/** Rejects when the caller's request ends, never because of a remote instance. */
export async function askRemotes(
  context: ApiContext,
  asked: RemoteQueries,
): Promise<readonly IndexAnswer[]> {
  const names = new Set(asked.placed.flatMap(({ remote }) => remote ?? []));
  const answers = await mapInParallel([...names], PARALLEL_INSTANCES_MAX, (name) =>
    askRemote(context, asked, name),
  );
  return answers.flatMap((own) => own ?? []);
}

/**
 * null = the instance failed.
 * @param groups of several instances that were found before; null = the first request
 */
export async function askRemote(
  context: ApiContext,
  asked: RemoteQueries,
  name: string,
  groups: GroupsQuestion | null = null,
): Promise<readonly IndexAnswer[] | null> {
  const startMs = context.clock.monotonic();
  const { signal } = asked.caller;
  const sizedCount = groups?.preceding.filter(({ size }) => size > 0).length ?? 0;
  const precedingCount = isGiven(asked.federation.groupBy) ? sizedCount : null;
  const { network, remoteSearches } = context;
  const ask = async () => {
    const body = remoteBody(asked, name, groups);
    return remoteSearches.federated({ network, name, body, signal }, precedingCount);
  };
  const answer = await orNullIfRemoteFails(name, ask, asked.remoteErrors, signal);
  asked.times?.add(`search > remote ${name}`, context.clock.monotonic() - startMs);
  return answer && indexAnswers(answer, name);
}

/** The body for a remote instance: all hits that may be on the page, and its facets. */
function remoteBody(
  { federation, page, access, placed }: RemoteQueries,
  name: string,
  groups: GroupsQuestion | null,
): object {
  const { offset, limit } = windowOf(page);
  const reach = groups?.limit ?? offset + limit;
  const queries = placed.filter(({ remote }) => remote === name);
  const uids = new Set(queries.map(({ query }) => query.indexUid));
  const facetsByIndex = Object.entries(federation.facetsByIndex ?? {}).filter(([uid]) =>
    uids.has(uid),
  );
  return {
    queries: queries.map(({ query: { useNetwork: _, ...query }, position }) => ({
      ...query,
      filter: bothFilters(access.searchFilter(query.indexUid), query.filter, FILTER_CODE),
      federationOptions: {
        weight: query.federationOptions?.weight ?? 1,
        queryPosition: position,
      },
    })),
    federation: {
      ...('page' in page ? { page: 1, hitsPerPage: reach } : { offset: 0, limit: reach }),
      ...(isGiven(federation.distinct) && { distinct: federation.distinct }),
      ...(isGiven(federation.groupBy) && { groupBy: federation.groupBy }),
      ...(groups === null
        ? { facetsByIndex: Object.fromEntries(facetsByIndex) }
        : { precedingGroups: groups.preceding }),
    },
  };
}

/** One answer with the hits, and one per index with facets or groups. */
function indexAnswers(answer: RemoteAnswer, remote: string): IndexAnswer[] {
  const { hits, bytes, candidateCount, facets, isSemantic, queryVectors, groups } = answer;
  const ranked = { rules: null, isSemantic, error: null };
  const queries = [...queryVectors].map(([position, queryVector]) => ({
    ...ranked,
    position,
    queryVector,
  }));
  const own = queries.length > 0 ? queries : [{ ...ranked, position: 0, queryVector: null }];
  const tables = new Map(facets.map((own) => [own.indexUid, own.tables]));
  const uids = new Set([...tables.keys(), ...(groups?.facts.keys() ?? [])]);
  const nothing = { queries: [], hits: [], candidateCount: 0, precedingGroups: [] };
  return [
    {
      indexUid: '',
      remote,
      bytes,
      part: {
        queries: own,
        hits,
        candidateCount,
        groupedCount: groups?.documentCount ?? null,
        facets: null,
        groupFacts: null,
        precedingGroups: groups?.preceding ?? [],
      },
    },
    ...Array.from(uids, (indexUid) => ({
      indexUid,
      remote,
      bytes,
      part: {
        ...nothing,
        groupedCount: null,
        facets: tables.get(indexUid) ?? null,
        groupFacts: groups?.facts.get(indexUid) ?? null,
      },
    })),
  ];
}
