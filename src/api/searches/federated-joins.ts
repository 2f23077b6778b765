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
import type { PlacedQueries, PlacedQuery } from './network-queries.ts';

interface JoinsCall {
  readonly queries: readonly MultiSearchQuery[];
  readonly foreignAccess: Access | null;
  readonly caller: Requester;
}

/** null unless several instances answer and the request includes other indexes. */
export function federatedJoins(
  context: ApiContext,
  { queries, foreignAccess: access, caller }: JoinsCall,
  { placed, isNetworked }: PlacedQueries,
): FederatedJoins | null {
  if (!isNetworked) return null;
  const instances = placed.map(({ remote }) => remote);
  const documents = ForeignDocuments.of(context, { access, caller, instances });
  return documents && new FederatedJoins(documents, queries, placed);
}

class FederatedJoins {
  readonly #documents: ForeignDocuments;
  readonly #queries: readonly MultiSearchQuery[];
  readonly #placed: readonly PlacedQuery[];

  constructor(
    documents: ForeignDocuments,
    queries: readonly MultiSearchQuery[],
    placed: readonly PlacedQuery[],
  ) {
    this.#documents = documents;
    this.#queries = queries;
    this.#placed = placed;
  }

  /** Queries for remote instances may name an alias. */
  #indexOf({ indexUid }: MultiSearchQuery): PublishedIndex | undefined {
    const { indexes, aliases } = this.#documents.context;
    return indexes.get(aliases.resolve(indexUid));
  }

  /** The queries and the access, with ids instead of conditions on other indexes. */
  async withIds(
    access: Access,
  ): Promise<{ readonly placed: readonly PlacedQuery[]; readonly access: Access }> {
    const code = 'invalid_search_filter';
    const conditions = new ForeignConditions(this.#documents);
    const replaced = new Map<MultiSearchQuery, MultiSearchQuery>();
    let bound = access;
    for (const [place, query] of this.#queries.entries()) {
      requireReach(access, query.indexUid);
      const index = this.#indexOf(query);
      try {
        const form = filterForm(query.filter, code);
        const filter = await conditions.replaced(form, index, code);
        if (filter !== form) replaced.set(query, { ...query, filter });
        bound = await conditions.bound(bound, query.indexUid, index);
      } catch (error) {
        throw error instanceof ApiError ? errorInside(`queries[${place}]`, error) : error;
      }
    }
    const placed = this.#placed.map((each) => {
      return { ...each, query: replaced.get(each.query) ?? each.query };
    });
    return { placed, access: bound };
  }

  /** @param errors gets the error of each remote instance that fails */
  hydrate(
    hits: readonly LocatedHit[],
    errors: Record<string, ErrorEnvelope>,
    size: AnswerSize,
    slices: TimeSlices,
  ): Promise<readonly LocatedHit[]> {
    // The first query, if several have one position.
    const byPosition = new Map<number, PublishedIndex | undefined>();
    for (const { position, query } of this.#placed)
      if (!byPosition.has(position)) byPosition.set(position, this.#indexOf(query));
    const indexOf = ({ position }: LocatedHit) => byPosition.get(position) ?? null;
    return hydratedHits(this.#documents, hits, { indexOf, errors, size, slices });
  }
}
