/** Backups of the whole instance. */
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const createDump = defineRoute({
  id: 'dumps.create',
  method: 'POST',
  path: '/dumps',
  action: 'dumps.create',
  summary: 'Write a dump of everything into the folder of dumps',
  query: NoQuery,
  errors: [],
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
  summary: 'Write a snapshot of the data folder into the folder of snapshots',
  query: NoQuery,
  errors: [],
  handler: async ({ indexer }) => ({
    status: 202,
    json: await indexer.request('enqueue', { type: 'snapshotCreation' }),
  }),
});

export const backupRoutes: readonly Route[] = [createDump, createSnapshot];
