/** A line of `batches/queue.jsonl`. */

import { formatDate, formatDuration } from '../../core/clock.ts';
import { objectOf } from '../../core/json.ts';
import type { BatchRecord } from '../../model/task.ts';
import { DumpRefused, parseObject } from './dump.ts';
import { mustReadDumpDate, readDumpDate } from './dump-dates.ts';

/** @param enqueuedAt dates of the first and the last enqueued of its tasks, null if unknown */
export const batchLine = (
  { uid, details, stats, startedAt, finishedAt, batchStrategy }: BatchRecord,
  enqueuedAt: { readonly earliest: string; readonly oldest: string } | null,
): string =>
  JSON.stringify({
    uid,
    details,
    stats,
    startedAt,
    finishedAt,
    enqueuedAt,
    stopReason: batchStrategy,
  });

export function readBatchLine(line: string): BatchRecord {
  const batch = parseObject(line, 'a batch');
  const { uid, details, stats, stopReason } = batch;
  if (!Number.isSafeInteger(uid)) throw new DumpRefused(`a batch of the dump has the uid ${uid}`);
  const startedAt = mustReadDumpDate(batch['startedAt'], `batch ${uid}`);
  const finishedAt = readDumpDate(batch['finishedAt']);
  const counts = objectOf(stats);
  return {
    uid: uid as number,
    progress: null,
    details: objectOf(details),
    stats: {
      totalNbTasks: 0,
      status: {},
      types: {},
      indexUids: {},
      ...(counts as Partial<BatchRecord['stats']>),
    },
    duration: finishedAt === null ? null : formatDuration(finishedAt - startedAt),
    startedAt: formatDate(startedAt),
    finishedAt: finishedAt === null ? null : formatDate(finishedAt),
    batchStrategy: typeof stopReason === 'string' ? stopReason : 'unspecified',
  };
}
