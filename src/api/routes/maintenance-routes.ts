/** Routes of compaction (of an index, and of the task database), and of dumps and snapshots. */
import { humanSize } from '../../core/human-size.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const compactIndex = defineRoute({
  id: 'indexes.compact',
  method: 'POST',
  path: '/indexes/:indexUid/compact',
  action: 'indexes.compact',
  summary: 'Compact an index: merge its segments and remove deleted documents',
  query: NoQuery,
  handler: async ({ indexer }, { params: { indexUid } }) => ({
    status: 202,
    json: await indexer.request('enqueue', { type: 'indexCompaction', indexUid }),
  }),
});

const compactTasks = defineRoute({
  id: 'tasks.compact',
  method: 'POST',
  path: '/tasks/compact',
  action: 'tasks.compact',
  summary: 'Reclaim the disk space of deleted tasks while the server runs',
  query: NoQuery,
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
});

export const compactionRoutes: readonly Route[] = [compactIndex, compactTasks];

const createDump = defineRoute({
  id: 'dumps.create',
  method: 'POST',
  path: '/dumps',
  action: 'dumps.create',
  summary: 'Create a dump in the dump folder',
  query: NoQuery,
  handler: async ({ indexer }) => ({
    status: 202,
    json: await indexer.request('enqueue', { type: 'dumpCreation' }),
  }),
});

const createSnapshot = defineRoute({
  id: 'snapshots.create',
  method: 'POST',
  path: '/snapshots',
  action: 'snapshots.create',
  summary: 'Create a snapshot in the snapshot folder',
  query: NoQuery,
  handler: async ({ indexer }) => ({
    status: 202,
    json: await indexer.request('enqueue', { type: 'snapshotCreation' }),
  }),
});

export const backupRoutes: readonly Route[] = [createDump, createSnapshot];
