/** Compares the answers of two indexes to the same queries. */
import { requireAction, requireReach } from '../../auth/authorize.ts';
import { isGiven } from '../../core/is-given.ts';
import { limits } from '../../core/limits.ts';
import { ComparisonBody } from '../../model/schemas/comparison-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import { defineRoute, QUERY_ERRORS, type Route, type RouteRequest } from '../contract/route.ts';
import { compareIndexes, type ReplayedQuery } from '../searches/compared-indexes.ts';
import { requireIndex } from '../searches/index-reader.ts';
import { recordedQueries } from './analytics-routes.ts';

const LIMIT_DEFAULT = 10;

const gradesOf = (wanted: readonly string[] | Readonly<Record<string, number>>) =>
  Array.isArray(wanted)
    ? Object.fromEntries((wanted as readonly string[]).map((id) => [id, 1]))
    : (wanted as Readonly<Record<string, number>>);

/** Given queries, or the most frequent ones of the analytics. */
async function queriesOf(
  context: ApiContext,
  { body: { queries }, access, caller }: RouteRequest<unknown, unknown, ComparisonBody>,
  indexUid: string,
): Promise<readonly ReplayedQuery[]> {
  if (isGiven(queries))
    return queries.map(({ q, filter = null, wanted }) => ({
      q,
      filter,
      wanted: wanted ? gradesOf(wanted) : null,
    }));
  requireAction(access, 'analytics.get', 'a comparison without `queries` requires');
  const recorded = await recordedQueries(context, indexUid, limits.comparedQueriesMax, caller);
  return recorded.map((query) => ({ ...query, wanted: null }));
}

export const comparisonRoutes: readonly Route[] = [
  defineRoute({
    id: 'indexes.compare',
    endpoint: 'POST /indexes/:indexUid/compare',
    action: 'search',
    summary: 'Compare the answers of two indexes to the same queries',
    body: ComparisonBody,
    errors: ['index_not_found', 'feature_not_enabled', 'vector_embedding_error', ...QUERY_ERRORS],
    handler: async (context, request) => {
      const { params, body, access, caller } = request;
      const uid = context.aliases.resolve(body.candidate);
      requireReach(access, uid);
      const index = requireIndex(context, params.indexUid);
      const candidate = requireIndex(context, uid);
      const search = body.search ?? {};
      const json = await compareIndexes(context, {
        base: { index, search },
        candidate: { index: candidate, search: body.candidateSearch ?? search },
        queries: await queriesOf(context, request, params.indexUid),
        limit: body.limit ?? LIMIT_DEFAULT,
        access,
        caller,
      });
      return { status: 200, json };
    },
  }),
];
