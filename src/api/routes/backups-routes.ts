/** Routes of backups: dumps and snapshots. */
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { defineRoute, type Route } from '../contract/route.ts';

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
