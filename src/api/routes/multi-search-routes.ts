/** Several searches in one request: answered one by one, or merged with `federation`. */

import { mapInParallel } from '../../core/bounded-parallel.ts';
import { ApiError } from '../../core/errors.ts';
import { objectOf } from '../../core/json.ts';
import { MultiSearchBody, type MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import type { ApiConfig, ApiContext } from '../contract/context.ts';
import { defineRoute, type Route } from '../contract/route.ts';
import { AnswerSize } from '../searches/answer-size.ts';
import { type AskedSearch, answeredSearch } from '../searches/answered-search.ts';
import { errorInside } from '../searches/federated-answer.ts';
import { searchFederated } from '../searches/federated-search.ts';
import { foreignAccess } from '../searches/foreign-index-sources.ts';
import { bodyOfQuery, requireNamedIndex } from '../searches/multi-search-request.ts';
import { type IsPinned, personalizer, pinnedHits } from '../searches/personalized-search.ts';
import { recordFederated } from '../searches/recorded-search.ts';
import { wantsMetadata } from '../searches/search-metadata.ts';
import { SEARCH_ERRORS } from './search-routes.ts';

/** Concurrent searches per request, so that one request does not take the entire pool. */
const PARALLEL_QUERIES_MAX = 8;
const FIRST_SERVER_ERROR = 500;
const OPENING_BRACE = 0x7b;

interface OneSearch extends Pick<AskedSearch, 'headers' | 'access' | 'caller' | 'aliases'> {
  readonly name: string;
  readonly query: MultiSearchQuery;
  readonly position: number;
  readonly receivedAtMs: number;
}

/** The answer of one query, with its index uid first. */
async function searchOne(context: ApiContext, one: OneSearch): Promise<Uint8Array[]> {
  const { name, query, position, receivedAtMs, headers, access, caller, aliases } = one;
  const path = `queries[${position}]`;
  if (query.federationOptions) throw errorInside(path, misplacedOptions());
  const index = requireNamedIndex(context, access, query.indexUid, path);
  try {
    const answer = await answeredSearch(context, {
      index,
      body: bodyOfQuery(query),
      showsProfile: false,
      headers,
      access,
      caller,
      aliases,
      arrivedAtMs: context.clock.monotonic(),
      cutoffSinceMs: receivedAtMs,
    });
    if (answer[0] !== OPENING_BRACE) throw new Error('a search answer is no object');
    return [Buffer.from(`{"indexUid":${JSON.stringify(name)},`), answer.subarray(1)];
  } catch (error) {
    throw error instanceof ApiError && error.status < FIRST_SERVER_ERROR
      ? errorInside(path, error)
      : error;
  }
}

/**
 * The body with the indexes that aliases stand for: all of one moment. A query for a remote instance
 * keeps its name, which the remote resolves by its own aliases.
 */
function withIndexes(
  body: MultiSearchBody,
  { aliases, network }: Pick<ApiContext, 'aliases' | 'network'>,
): MultiSearchBody {
  if (aliases.isEmpty) return body;
  const here = new Set<string>();
  const elsewhere = new Set<string>();
  const queries = body.queries.map((query) => {
    const { remote = null } = query.federationOptions ?? {};
    const isHere = remote === null || remote === network.self;
    const indexUid = isHere ? aliases.resolve(query.indexUid) : query.indexUid;
    (isHere ? here : elsewhere).add(indexUid);
    return { ...query, indexUid };
  });
  const { federation } = body;
  if (!federation?.facetsByIndex) return { ...body, queries };
  const facets = Object.entries(federation.facetsByIndex).flatMap(([name, attributes]) => {
    const uid = aliases.resolve(name);
    const isHere = !elsewhere.has(name) || here.has(uid);
    return [...(isHere ? [uid] : []), ...(elsewhere.has(name) ? [name] : [])].map(
      (used) => [used, attributes] as const,
    );
  });
  return { queries, federation: { ...federation, facetsByIndex: Object.fromEntries(facets) } };
}

function checkCount(
  queries: readonly MultiSearchQuery[],
  { multiSearchQueriesMax }: Pick<ApiConfig, 'multiSearchQueriesMax'>,
): void {
  if (queries.length <= multiSearchQueriesMax) return;
  throw new ApiError(
    'bad_request',
    `\`queries\` has ${queries.length} queries; the option \`--max-multi-search-queries\` allows ${multiSearchQueriesMax}. Send several requests.`,
  );
}

const pinnedInAny =
  (pinned: ReadonlyMap<string, IsPinned | null>): IsPinned =>
  (hit) => {
    const uid = objectOf(hit['_federation'])['indexUid'];
    return pinned.get(String(uid))?.(hit) ?? false;
  };

const misplacedOptions = (): ApiError =>
  new ApiError(
    'invalid_multi_search_federation_options',
    '`federationOptions` need a `federation` object next to `queries`. Give one, for example `{}`, or leave the options out.',
  );

const joinResults = (results: readonly (readonly Uint8Array[])[]): Uint8Array[] => [
  Buffer.from('{"results":['),
  ...results.flatMap((result, i) => (i === 0 ? result : [Buffer.from(','), ...result])),
  Buffer.from(']}'),
];

export const multiSearchRoutes: readonly Route[] = [
  defineRoute({
    id: 'multiSearch.post',
    endpoint: 'POST /multi-search',
    action: 'search',
    summary: 'Run several searches in one request, with separate or merged results',
    body: MultiSearchBody,
    errors: [
      ...SEARCH_ERRORS,
      'invalid_search_media_and_vector',
      'invalid_multi_search_distinct',
      'invalid_multi_search_facet_order',
      'invalid_multi_search_federation_options',
      'invalid_multi_search_query_aggregations',
      'invalid_multi_search_query_diversity',
      'invalid_multi_search_query_facets',
      'invalid_multi_search_query_pagination',
      'invalid_multi_search_query_personalization',
      'invalid_multi_search_query_ranking_rules',
      'invalid_multi_search_query_rerank',
      'invalid_multi_search_query_show_performance_details',
    ],
    handler: async (context, { body, headers, access, receivedAtMs, caller }) => {
      const { queries: named } = body;
      const { aliases } = context;
      checkCount(named, context.config);
      const { queries, federation } = withIndexes(body, context);
      if (federation) {
        const inOrder = personalizer(context, {
          personalize: federation.personalize,
          queries: [...new Set(queries.map(({ q }) => q))],
          place: 'federation.personalize',
        });
        const { parts, metadata, searched } = await searchFederated(context, {
          queries,
          federation,
          hasMetadata: wantsMetadata(headers),
          isForPeer: context.features.network && headers.proxySearch === 'true',
          access,
          foreignAccess: foreignAccess({ access, headers }),
          caller,
          arrivedAtMs: receivedAtMs,
        });
        recordFederated(context, headers, { queries, parts, metadata, sinceMs: receivedAtMs });
        if (inOrder === null) return { status: 200, bytes: parts };
        const pinned = new Map(
          searched.map(({ manifest, pins }) => [manifest.uid, pinnedHits(manifest, pins)]),
        );
        const bytes = await inOrder(Buffer.concat(parts), caller, pinnedInAny(pinned));
        return { status: 200, bytes };
      }
      const size = new AnswerSize(context.config, caller);
      const shared = { receivedAtMs, headers, access, caller, aliases };
      const results = await mapInParallel(
        queries,
        PARALLEL_QUERIES_MAX,
        async (query, position) => {
          const name = named[position]?.indexUid ?? query.indexUid;
          const result = await searchOne(context, { ...shared, name, query, position });
          for (const { length } of result) size.add(length);
          return result;
        },
      );
      return { status: 200, bytes: joinResults(results) };
    },
  }),
];
