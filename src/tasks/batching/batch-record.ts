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

/** What the record of a batch shows of its tasks. */
export class BatchTotals {
  #count = 0;
  readonly #statuses = new Map<string, number>();
  readonly #types = new Map<string, number>();
  readonly #indexUids = new Map<string, number>();
  readonly #details = new Map<string, unknown>();

  static of(members: Iterable<BatchMember>): BatchTotals {
    const totals = new BatchTotals();
    for (const member of members) totals.add(member);
    return totals;
  }

  /**
   * Sums counts, joins filters, merges settings (the last value of a name counts, null for one that
   * is reset) and keeps the first value of other members. Other null members are left out.
   */
  add({ row, details }: BatchMember): void {
    this.#count++;
    countValue(this.#statuses, row.status);
    countValue(this.#types, row.type);
    if (row.indexUid !== null) countValue(this.#indexUids, row.indexUid);
    const isSettings = row.type === 'settingsUpdate';
    for (const [name, value] of Object.entries(details)) {
      if (value === undefined || (value === null && !isSettings)) continue;
      this.#details.set(name, mergeMember(name, this.#details.get(name), value, isSettings));
    }
  }

  get details(): Details {
    return Object.fromEntries(this.#details);
  }

  get stats(): Pick<BatchRecord['stats'], 'totalNbTasks' | 'status' | 'types' | 'indexUids'> {
    return {
      totalNbTasks: this.#count,
      status: Object.fromEntries(this.#statuses),
      types: Object.fromEntries(this.#types),
      indexUids: Object.fromEntries(this.#indexUids),
    };
  }
}

export interface BatchFacts {
  readonly uid: number;
  readonly totals: BatchTotals;
  readonly reason: string;
  readonly startedAt: number;
  /** null while the batch is being processed. */
  readonly finishedAt: number | null;
  readonly progress: ProgressReading;
}

export function toBatchRecord({
  uid,
  totals,
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
    details: totals.details,
    stats: {
      ...totals.stats,
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

function countValue(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

function mergeMember(name: string, before: unknown, value: unknown, isSettings: boolean): unknown {
  if (before === undefined) return value;
  if (name === 'originalFilter') return `${before}&${value}`;
  if (isCount(name) && typeof before === 'number' && typeof value === 'number')
    return before + value;
  return isSettings ? value : before;
}

const isCount = (name: string): boolean =>
  name.endsWith('Documents') || name.endsWith('Tasks') || name.endsWith('Ids');
