/** Routes of compaction (of an index, and of the task database), and of dumps and snapshots. */
import { humanSize } from '../../core/human-size.ts';
import { enqueued } from '../contract/enqueued.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, type Route } from '../contract/route.ts';

export const compactionRoutes: readonly Route[] = [
  defineRoute({
    id: 'indexes.compact',
    endpoint: 'POST /indexes/:indexUid/compact',
    action: 'indexes.compact',
    summary: 'Compact an index: merge its segments and remove deleted documents',
    handler: ({ indexer }, { params: { indexUid } }) =>
      enqueued(indexer, { type: 'indexCompaction', indexUid }),
  }),
  defineRoute({
    id: 'tasks.compact',
    endpoint: 'POST /tasks/compact',
    action: 'tasks.compact',
    summary: 'Reclaim the disk space of deleted tasks while the server runs',
    errors: ['feature_not_enabled'],
    handler: async ({ indexer, features }) => {
      requireFeature(features, 'taskQueueCompactionRoute');
      const { bytesBefore, bytesAfter } = await indexer.request('compactTasks', {});
      return {
        status: 200,
        json: {
          preSize: humanSize(bytesBefore),
          postSize: humanSize(bytesAfter),
          status: 'available',
          actionRequired: null,
        },
      };
    },
  }),
];

export const backupRoutes: readonly Route[] = [
  defineRoute({
    id: 'dumps.create',
    endpoint: 'POST /dumps',
    action: 'dumps.create',
    summary: 'Create a dump in the dump folder',
    handler: ({ indexer }) => enqueued(indexer, { type: 'dumpCreation' }),
  }),
  defineRoute({
    id: 'snapshots.create',
    endpoint: 'POST /snapshots',
    action: 'snapshots.create',
    summary: 'Create a snapshot in the snapshot folder',
    handler: ({ indexer }) => enqueued(indexer, { type: 'snapshotCreation' }),
  }),
];
