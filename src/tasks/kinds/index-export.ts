/** Exports indexes to another instance. After a restart the export resumes at its last position. */
import { maskedUrl, maskSecret } from '../../core/mask-secret.ts';
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import type { ExportPlace } from '../../export/exporter.ts';
import type { ExportRequest } from '../../model/export.ts';
import { closestPattern } from '../../model/index-uid-pattern.ts';
import { readStored } from '../../model/schemas/stored-schema.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import type { BackgroundKind, DraftOf } from './task-kind.ts';

/** After the first progress, the payload key holds the `ExportPlace` as JSON. */
interface ExportWork extends TaskWork {
  readonly type: 'export';
  readonly request: ExportRequest;
}

export const exportKind: BackgroundKind<DraftOf<'export'>, ExportWork> = {
  turn: 'background',
  takes: 'oldest',

  create({ type, request, payloadSize }) {
    const { url, apiKey, indexes } = request;
    return {
      work: { type, request },
      details: {
        url: maskedUrl(url),
        ...(apiKey !== null && { apiKey: maskSecret(apiKey) }),
        ...(payloadSize !== null && { payloadSize }),
        indexes,
      },
    };
  },

  dumped: ({ request: { payloadBytesMax, ...request } }) =>
    dumpedKinds.export({ ...request, payloadSize: payloadBytesMax }),

  async begin([task], { progress, exporter, tasks: store }) {
    if (task === undefined) throw new Error('a batch without a task');
    const { request } = task.work;
    progress.plan(['exporting documents', 'committing']);
    const [kept] = await store.payloads([task.uid]);
    const place = kept ? readStored<ExportPlace>('place of an export', kept) : null;
    const keepPlace = (next: ExportPlace) =>
      store.keepContent(task.uid, Buffer.from(JSON.stringify(next)));
    return async () => {
      const sent = await exporter.run({ request, progress, place, keepPlace });
      const patterns = new Map(Object.entries(request.indexes));
      const indexes = Object.entries(sent).map(([uid, matchedDocuments]) => {
        const pattern = closestPattern(patterns, uid);
        const options = pattern === undefined ? undefined : patterns.get(pattern);
        return [uid, { ...options, matchedDocuments }] as const;
      });
      return [succeeded(task, { indexes: Object.fromEntries(indexes) })];
    };
  },
};
