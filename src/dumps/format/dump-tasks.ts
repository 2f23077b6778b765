/** A line of `tasks/queue.jsonl`. */

import { formatDate, formatDuration } from '../../core/clock.ts';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { isObject, type Json, textOrNull } from '../../core/json.ts';
import { TASK_STATUSES, type TaskRecord, type TaskStatus } from '../../model/task.ts';
import {
  type DumpedTask,
  DumpRefused,
  mustReadDumpDate,
  parseObject,
  readDumpDate,
} from './dump.ts';
import { dumpedDetails, readDetails } from './dump-details.ts';
import { readKind } from './dump-kinds.ts';

/** @param kind one of `dumpedKinds` */
export function taskLine(record: TaskRecord, kind: unknown): string {
  const { uid, batchUid, indexUid, status, canceledBy, error, customMetadata } = record;
  const { enqueuedAt, startedAt, finishedAt } = record;
  const details = dumpedDetails(record.type, indexUid, record.details ?? {});
  return JSON.stringify({
    uid,
    batchUid,
    indexUid,
    status,
    type: kind,
    ...(canceledBy !== null && { canceledBy }),
    ...(details !== null && { details }),
    ...(error !== null && { error }),
    enqueuedAt,
    ...(startedAt !== null && { startedAt }),
    ...(finishedAt !== null && { finishedAt }),
    ...(customMetadata !== undefined && { customMetadata }),
  });
}

/** @param documentsOf file with the documents of an addition, null = none */
export function readTaskLine(
  line: string,
  documentsOf: (uid: number) => string | null,
): DumpedTask {
  const task = parseObject(line, 'a task');
  const uid = task['uid'];
  if (!Number.isSafeInteger(uid)) throw new DumpRefused(`a task of the dump has the uid ${uid}`);
  const numbers = { uid: uid as number, indexUid: textOrNull(task['indexUid']) };
  const customMetadata = textOrNull(task['customMetadata']);
  const documents = documentsOf(numbers.uid);
  const details = readDetails(task['details']);
  const facts = { ...numbers, documents, customMetadata, details };
  const { type, work } = readKind(task['type'], facts);
  const status = statusOf(task, type);
  const isFinished = status !== 'enqueued';
  const record: TaskRecord = {
    ...numbers,
    type,
    status,
    batchUid: isFinished ? numberOrNull(task['batchUid']) : null,
    canceledBy: numberOrNull(task['canceledBy']),
    details,
    error:
      isFinished && isObject(task['error']) ? (task['error'] as unknown as ErrorEnvelope) : null,
    ...datesOf(task, numbers.uid, isFinished),
    ...(customMetadata !== null && { customMetadata }),
  };
  return { record, work: isFinished ? null : work };
}

/** A processing task is enqueued again; the dump itself has succeeded. */
function statusOf(task: Json, type: string): TaskStatus {
  const status = TASK_STATUSES.find((known) => known === task['status']);
  if (status === undefined)
    throw new DumpRefused(`task ${task['uid']} of the dump has the status ${task['status']}`);
  if (status !== 'processing') return status;
  return type === 'dumpCreation' ? 'succeeded' : 'enqueued';
}

function datesOf(task: Json, uid: number, isFinished: boolean) {
  const enqueuedAt = mustReadDumpDate(task['enqueuedAt'], `task ${uid}`);
  const startedAt = isFinished ? readDumpDate(task['startedAt']) : null;
  const finishedAt = isFinished ? (readDumpDate(task['finishedAt']) ?? startedAt) : null;
  const text = (micros: number | null) => (micros === null ? null : formatDate(micros));
  return {
    duration:
      startedAt === null || finishedAt === null ? null : formatDuration(finishedAt - startedAt),
    enqueuedAt: formatDate(enqueuedAt),
    startedAt: text(startedAt),
    finishedAt: text(finishedAt),
  };
}

const numberOrNull = (value: unknown): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null;
