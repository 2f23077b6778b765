/**
 * The indexes that the foreign keys of a searched index include: existing indexes that the caller
 * may search, with the caller's filter for them.
 */
import type { Access } from '../../auth/access.ts';
import type { ForeignIndexSource, QueryWork } from '../../ipc/queries/query-protocol.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { filterForm, unparsedFilter } from '../../model/filter/filter-form.ts';
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

/** The foreign keys that the work may use. */
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

/**
 * In the order of the keys. The searched index itself is included in the same generation.
 * @param access null if the work includes no other indexes
 * @throws ApiError for an invalid filter of the caller
 */
export function foreignIndexSources(
  { indexes, features, aliases }: ApiContext,
  index: PublishedIndex,
  work: QueryWork,
  access: Access | null,
): readonly ForeignIndexSource[] {
  if (access === null || !features.foreignKeys) return [];
  return keysOf(index.manifest, work).flatMap(({ fieldName, foreignIndexUid }) => {
    const uid = aliases.resolve(foreignIndexUid);
    const published = access.reaches(uid) ? indexes.get(uid) : undefined;
    if (published === undefined) return [];
    const { manifest, key, shared, location } =
      published.manifest.id === index.manifest.id ? index : published;
    const form = filterForm(access.searchFilter(uid), 'invalid_search_filter');
    const binding = unparsedFilter(form, features);
    const { id: indexId } = manifest;
    return [{ fieldName, indexId, uid, snapshotKey: key, manifest: shared, location, binding }];
  });
}
