/**
 * The indexes that the foreign keys of a searched index include: existing indexes that the caller
 * may search, with the caller's filter for them.
 */
import type { Access } from '../../auth/access.ts';
import type { ForeignIndexSource, QueryWork } from '../../ipc/queries/query-protocol.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { type FilterForm, filterForm, unparsedFilter } from '../../model/filter/filter-form.ts';
import type { ForeignKey } from '../../model/settings.ts';
import type { ApiContext } from '../contract/context.ts';
import type { RouteRequest } from '../contract/route.ts';

/**
 * The access that decides which indexes are included; null if another instance sent the request,
 * because its key may have more rights than its caller.
 */
export const foreignAccess = ({
  access,
  headers,
}: Pick<RouteRequest<unknown, unknown, unknown>, 'access' | 'headers'>): Access | null =>
  headers.proxySearch === 'true' ? null : access;

const NO_KEYS: readonly ForeignKey[] = [];

function keysOf({ settings }: PublishedIndex['manifest'], work: QueryWork): readonly ForeignKey[] {
  switch (work.kind) {
    case 'search':
    case 'similar':
    case 'federated':
      return settings.foreignKeys;
    case 'settingsPreview':
      return work.settings.foreignKeys;
    case 'facetSearch':
      return work.request.search.filter === null ? NO_KEYS : settings.foreignKeys;
    case 'documents':
      return work.request.filter === null ? NO_KEYS : settings.foreignKeys;
    default:
      return NO_KEYS;
  }
}

/** A foreign key to an index that exists and that the caller may search. */
export interface ReachedKey extends ForeignKey {
  readonly index: PublishedIndex;
  /** The caller's filter for that index; null = none. */
  readonly binding: FilterForm | null;
}

/**
 * In the order of the keys. The searched index itself is included in the same generation.
 * @throws ApiError for an invalid filter of the caller
 */
export const reachedKeys = (
  { indexes, aliases }: Pick<ApiContext, 'indexes' | 'aliases'>,
  index: PublishedIndex,
  keys: readonly ForeignKey[],
  access: Access,
): readonly ReachedKey[] =>
  keys.flatMap((key) => {
    const uid = aliases.resolve(key.foreignIndexUid);
    const published = access.reaches(uid) ? indexes.get(uid) : undefined;
    if (published === undefined) return [];
    const isOwn = published.manifest.id === index.manifest.id;
    const binding = filterForm(access.searchFilter(uid), 'invalid_search_filter');
    return [{ ...key, index: isOwn ? index : published, binding }];
  });

/**
 * The indexes of the keys that the work may use.
 * @param access null if the work includes no other indexes
 * @throws ApiError for an invalid filter of the caller
 */
export function foreignIndexSources(
  context: ApiContext,
  index: PublishedIndex,
  work: QueryWork,
  access: Access | null,
): readonly ForeignIndexSource[] {
  const { features } = context;
  if (access === null || !features.foreignKeys) return [];
  const keys = keysOf(index.manifest, work);
  return reachedKeys(context, index, keys, access).map(({ fieldName, index: other, binding }) => {
    const { manifest, key: snapshotKey, shared, location } = other;
    const { id: indexId, uid } = manifest;
    const filter = unparsedFilter(binding, features);
    return { fieldName, indexId, uid, snapshotKey, manifest: shared, location, binding: filter };
  });
}
