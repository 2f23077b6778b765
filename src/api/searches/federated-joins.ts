/** Foreign keys in a federated search that several instances answer (docs/foreign-keys.md). */
import type { Access } from '../../auth/access.ts';
import { requireReach } from '../../auth/authorize.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError, type ErrorEnvelope } from '../../core/errors.ts';
import type { TimeSlices } from '../../core/time-slices.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { filterForm } from '../../model/filter/filter-form.ts';
import type { MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import type { AnswerSize } from './answer-size.ts';
import { errorInside } from './federated-answer.ts';
import { ForeignConditions } from './foreign-conditions.ts';
import { ForeignDocuments } from './foreign-documents.ts';
import { hydratedHits } from './hydrated-hits.ts';
import type { LocatedHit } from './index-answer.ts';
import type { PlacedQueries } from './network-queries.ts';

interface JoinsCall {
  readonly queries: readonly MultiSearchQuery[];
  readonly foreignAccess: Access | null;
  readonly caller: Requester;
}

/** null unless several instances answer and the request includes other indexes. */
export function federatedJoins(
  context: ApiContext,
  { queries, foreignAccess, caller }: JoinsCall,
  { placed, isNetworked }: PlacedQueries,
) {
  const instances = placed.map(({ remote }) => remote);
  const documents = isNetworked
    ? ForeignDocuments.of(context, { access: foreignAccess, caller, instances })
    : null;
  if (documents === null) return null;
  const { indexes, aliases } = context;
  /** Queries for remote instances may name an alias. */
  const indexOf = ({ indexUid }: MultiSearchQuery) => indexes.get(aliases.resolve(indexUid));
  return {
    /** The queries and the access, with ids instead of conditions on other indexes. */
    async withIds(access: Access, slices: TimeSlices) {
      const code = 'invalid_search_filter';
      const conditions = new ForeignConditions(documents);
      const replaced = new Map<MultiSearchQuery, MultiSearchQuery>();
      let bound = access;
      for (const [place, query] of queries.entries()) {
        await slices.between();
        requireReach(access, query.indexUid);
        const index = indexOf(query);
        try {
          const form = filterForm(query.filter, code);
          const filter = await conditions.replaced(form, index, code);
          if (filter !== form) replaced.set(query, { ...query, filter });
          bound = await conditions.bound(bound, query.indexUid, index);
        } catch (error) {
          throw error instanceof ApiError ? errorInside(`queries[${place}]`, error) : error;
        }
      }
      const own = placed.map((each) => ({
        ...each,
        query: replaced.get(each.query) ?? each.query,
      }));
      return { placed: own, access: bound };
    },

    /** @param errors gets the error of each remote instance that fails */
    hydrate(
      hits: readonly LocatedHit[],
      errors: Record<string, ErrorEnvelope>,
      size: AnswerSize,
      slices: TimeSlices,
    ): Promise<readonly LocatedHit[]> {
      // The first query, if several have one position.
      const byPosition = new Map<number, PublishedIndex | undefined>();
      for (const { position, query } of placed)
        if (!byPosition.has(position)) byPosition.set(position, indexOf(query));
      const indexOfHit = ({ position }: LocatedHit) => byPosition.get(position) ?? null;
      return hydratedHits(documents, hits, { indexOf: indexOfHit, errors, size, slices });
    },
  };
}
