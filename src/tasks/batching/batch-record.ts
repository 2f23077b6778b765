/** Pure: builds the public record of a batch from its tasks. */

import { formatDate, formatDuration } from '../../core/clock.ts';
import type { ProgressReading } from '../../model/batch-progress.ts';
import type { BatchRecord } from '../../model/task.ts';
import type { Details } from '../store/stored-task.ts';
import type { TaskRow } from '../store/task-table.ts';

export interface BatchMember {
  readonly row: TaskRow;
  readonly details: Details;
}

export interface BatchFacts {
  readonly uid: number;
  readonly members: readonly BatchMember[];
  readonly reason: string;
  readonly startedAt: number;
  /** null while the batch is being processed. */
  readonly finishedAt: number | null;
  readonly progress: ProgressReading;
}

export function toBatchRecord({
  uid,
  members,
  reason,
  startedAt,
  finishedAt,
  progress,
}: BatchFacts): BatchRecord {
  const progressTrace = Object.fromEntries(
    [...progress.durations].map(([step, ms]) => [step, `${ms.toFixed(2)}ms`]),
  );
  return {
    uid,
    progress: finishedAt === null ? shownProgress(progress) : null,
    details: mergeDetails(members),
    stats: {
      totalNbTasks: members.length,
      status: countValues(members.map(({ row }) => row.status)),
      types: countValues(members.map(({ row }) => row.type)),
      indexUids: countValues(members.flatMap(({ row }) => row.indexUid ?? [])),
      ...(progress.durations.size > 0 && { progressTrace }),
      ...(progress.embedderRequests.total > 0 && { embedderRequests: progress.embedderRequests }),
    },
    duration: finishedAt === null ? null : formatDuration(finishedAt - startedAt),
    startedAt: formatDate(startedAt),
    finishedAt: finishedAt === null ? null : formatDate(finishedAt),
    batchStrategy: reason,
  };
}

/** The current step, and its counter if the total is known. */
function shownProgress(progress: ProgressReading): BatchRecord['progress'] {
  const { step, unit, stepsFinished, stepsPlanned, total } = progress;
  if (step === null) return { steps: [], percentage: 0 };
  const done = Math.min(progress.done, total);
  const outer = { currentStep: step, finished: stepsFinished, total: stepsPlanned };
  const inner = { currentStep: unit, finished: done, total };
  return {
    steps: total > 0 ? [outer, inner] : [outer],
    percentage: ((stepsFinished + (total > 0 ? done / total : 0)) / stepsPlanned) * 100,
  };
}

function countValues(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/**
 * Sums counts, joins filters, merges settings (the last value of a name counts, null for one that is
 * reset) and keeps the first value of other members. Other null members are left out.
 */
export function mergeDetails(members: readonly BatchMember[]): Details {
  const merged = new Map<string, unknown>();
  for (const { row, details } of members) {
    const isSettings = row.type === 'settingsUpdate';
    for (const [name, value] of Object.entries(details)) {
      if (value === undefined || (value === null && !isSettings)) continue;
      merged.set(name, mergeMember(name, merged.get(name), value, isSettings));
    }
  }
  return Object.fromEntries(merged);
}

function mergeMember(name: string, before: unknown, value: unknown, isSettings: boolean): unknown {
  if (before === undefined) return value;
  if (name === 'originalFilter') return `${before}&${value}`;
  if (isCount(name) && typeof before === 'number' && typeof value === 'number')
    return before + value;
  return isSettings ? value : before;
}

const isCount = (name: string): boolean => /(Documents|Tasks|Ids)$/.test(name);
