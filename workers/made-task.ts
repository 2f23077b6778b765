/** Part of a front: work on an index that nobody has asked for. */
import type { PublishedIndex } from '../src/ipc/published/published-indexes.ts';
import type { QueryTask, QueryWork } from '../src/ipc/queries/query-protocol.ts';

export const madeTask = (
  { key, shared, location }: Pick<PublishedIndex, 'key' | 'shared' | 'location'>,
  work: QueryWork,
): QueryTask => ({ snapshotKey: key, manifest: shared, location, work, isMade: true });
