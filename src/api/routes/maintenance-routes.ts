/** Routes of compaction (of an index, and of the task database), and of dumps and snapshots. */
import { ApiError } from '../../core/errors.ts';
import { humanSize } from '../../core/human-size.ts';
import { enqueued } from '../contract/enqueued.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const NAME_SHOWN_MAX = 100;

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
    feature: 'taskQueueCompactionRoute',
    handler: async ({ indexer }) => {
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
  defineRoute({
    id: 'backups.list',
    endpoint: 'GET /backups',
    action: 'backups.get',
    summary: 'List the dumps and snapshots in their folders, the newest first',
    handler: async ({ backups }) => {
      const results = (await backups.list()).map(({ modifiedMs, ...file }) => ({
        ...file,
        createdAt: new Date(modifiedMs).toISOString(),
      }));
      return { status: 200, json: { results } };
    },
  }),
  defineRoute({
    id: 'backups.download',
    endpoint: 'GET /backups/:name',
    action: 'backups.get',
    summary: 'Download a dump or a snapshot',
    errors: ['backup_not_found'],
    handler: async ({ backups }, { params: { name } }) => {
      const found = await backups.find(name);
      if (found === null)
        throw new ApiError(
          'backup_not_found',
          `There is no dump and no snapshot \`${name.slice(0, NAME_SHOWN_MAX)}\`; \`GET /backups\` lists them.`,
        );
      return {
        status: 200,
        contentType: 'application/octet-stream',
        headers: [
          'Content-Disposition',
          `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        ],
        stream: (signal) => found.chunks(signal),
      };
    },
  }),
];
