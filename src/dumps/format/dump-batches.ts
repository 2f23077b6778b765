/** A line of `batches/queue.jsonl`. */

import { formatDate, formatDuration } from '../../core/clock.ts';
import { objectOf } from '../../core/json.ts';
import type { BatchRecord } from '../../model/task.ts';
import { DumpRefused, mustReadDumpDate, parseObject, readDumpDate } from './dump.ts';

/** A finished branch is dumped as the creation of an index, which every server reads. */
function portable(stats: BatchRecord['stats']): BatchRecord['stats'] {
  const { indexBranch, ...types } = stats.types;
  return indexBranch === undefined
    ? stats
    : { ...stats, types: { ...types, indexCreation: indexBranch } };
}

/** The dates at which its tasks were enqueued are left out. */
export const batchLine = ({
  uid,
  details,
  stats,
  startedAt,
  finishedAt,
  batchStrategy,
}: BatchRecord): string =>
  JSON.stringify({
    uid,
    details,
    stats: portable(stats),
    startedAt,
    finishedAt,
    enqueuedAt: null,
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
