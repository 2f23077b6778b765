/** Additions, replacements and updates of documents. */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import type { DocumentOperation } from '../../indexing/batch/document-operations.ts';
import type { PayloadFormat, PendingPayload } from '../../model/task.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';
import type { BatchTask } from '../batching/select-batch.ts';
import type { ContentPlace, TaskWork } from '../store/stored-task.ts';
import { isFinished } from '../store/task-record.ts';
import type { TaskStore } from '../store/task-store.ts';
import type { DraftOf, MergedKind } from './task-kind.ts';

type Draft = DraftOf<'documentAdditionOrUpdate'>;

interface AdditionWork extends TaskWork {
  readonly type: 'documentAdditionOrUpdate';
  readonly method: 'replace' | 'update';
  readonly primaryKey: string | null;
  readonly skipCreation: boolean;
  readonly format: PayloadFormat;
  readonly allowIndexCreation: boolean;
  readonly content: ContentPlace;
}

export const documentAddition: MergedKind<Draft, AdditionWork> = {
  turn: 'merged',

  create({ type, method, primaryKey, skipCreation, format, allowIndexCreation, ...draft }) {
    const { payload, documentCount } = draft;
    const rules = { type, method, primaryKey, skipCreation, format, allowIndexCreation };
    const details = { receivedDocuments: documentCount, indexedDocuments: null };
    if (payload.kind === 'file') return { work: { ...rules, content: payload }, details };
    const contentBytes = Buffer.from(payload.base64, 'base64');
    const content = { kind: 'beside', bytes: contentBytes.length } as const;
    return { work: { ...rules, content }, details, contentBytes };
  },

  check({ payload }, payloads) {
    if (payload.kind !== 'file') return;
    const found = payloads.sizeOf(payload.name);
    if (found !== payload.bytes)
      throw new Error(`payload file ${payload.name} has ${found ?? 'no'} bytes`);
  },

  dumped({ method, primaryKey, allowIndexCreation }, { details }) {
    const documentCount = Number(details['receivedDocuments'] ?? 0);
    return dumpedKinds.addition({ method, primaryKey, documentCount, allowIndexCreation });
  },

  candidate({ primaryKey, allowIndexCreation, content }) {
    return { kind: 'addition', primaryKey, allowIndexCreation, bytes: content.bytes };
  },
};

export const isAddition = (task: BatchTask): task is BatchTask<AdditionWork> =>
  task.work.type === 'documentAdditionOrUpdate';

/** Number of documents in the payload, as the front counted them. */
export function receivedDocuments({ stored }: BatchTask<AdditionWork>): number {
  const { receivedDocuments: count } = stored.details;
  return typeof count === 'number' ? count : 0;
}

/** The payload of an unfinished addition. */
export async function pendingPayload(
  tasks: TaskStore,
  uid: number,
): Promise<PendingPayload | null> {
  const row = tasks.row(uid);
  if (row === null || row.type !== 'documentAdditionOrUpdate' || isFinished(row.status))
    return null;
  const [stored] = await tasks.load([uid]);
  const work = stored?.work as AdditionWork | null | undefined;
  if (!work) return null;
  const { content, format } = work;
  if (content.kind === 'file') return { payload: content, format };
  const [contentBytes] = await tasks.payloads([uid]);
  if (!contentBytes) return null;
  return {
    payload: { kind: 'inline', base64: Buffer.from(contentBytes).toString('base64') },
    format,
  };
}

/** @param contentBytes value of the task's payload key; null for a spool file */
export function additionOperation(
  { uid: taskUid, work }: BatchTask<AdditionWork>,
  contentBytes: Uint8Array | null,
  payloads: Pick<PayloadStore, 'onDisk'>,
): DocumentOperation {
  const { method, format, primaryKey, skipCreation, content } = work;
  const payload = content.kind === 'file' ? payloads.onDisk(content) : contentBytes;
  if (payload === null) throw new Error(`the payload of task ${taskUid} is missing`);
  const rules = { method, format, primaryKey, skipCreation, wereStored: false };
  return { taskUid, kind: 'upsert', payload, payloadBytes: content.bytes, ...rules };
}
