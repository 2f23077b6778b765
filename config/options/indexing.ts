/** Launch options of indexing: memory, threads, batches, task retention. */
import { availableMemory, cores } from '../formats.ts';
import { option } from './option.ts';

export const indexingOptions = {
  replicationParameters: option<boolean>({
    doc: 'Reads two headers of requests that enqueue a task: `TaskId`, the uid of the task, which is at least the next one, and `DryRun: true`, which checks the request and stores nothing.',
    format: 'flag',
    default: false,
    arg: 'experimental-replication-parameters',
  }),
  maxIndexingMemory: option<number>({
    doc: 'Memory limit of indexing, in addition to the memory of the idle indexer and without mapped files. 256 MiB is little. Default: two thirds of the RAM.',
    format: 'size',
    default: Math.floor((availableMemory() * 2) / 3),
    arg: 'max-indexing-memory',
  }),
  reduceIndexingMemoryUsage: option<boolean>({
    doc: 'Limits indexing to a quarter of `--max-indexing-memory`, at least 256 MiB: smaller batches and segments, possibly fewer threads.',
    format: 'flag',
    default: false,
    arg: 'experimental-reduce-indexing-memory-usage',
  }),
  maxIndexingThreads: option<number>({
    doc: 'Threads of the indexing pool, not counting one for large batches and one of low priority for merges. At most one for each 192 MiB of `--max-indexing-memory`. Default: half of the cores.',
    format: 'threads',
    default: Math.max(1, Math.floor(cores() / 2)),
    arg: 'max-indexing-threads',
  }),
  maxNumberOfBatchedTasks: option<number | null>({
    doc: 'Maximum tasks in one batch; default unlimited.',
    format: 'positive',
    default: null,
    arg: 'experimental-max-number-of-batched-tasks',
  }),
  limitBatchedTasksTotalSize: option<number | null>({
    doc: 'Maximum payload bytes in one batch; default half of the indexing memory, at most 10 GiB.',
    format: 'size',
    default: null,
    arg: 'experimental-limit-batched-tasks-total-size',
  }),
  taskRetentionCount: option<number>({
    doc: 'Number of stored tasks at which the oldest tenth of the finished tasks is deleted.',
    format: 'positive',
    default: 1_000_000,
    arg: 'task-retention-count',
  }),
  taskRetentionDays: option<number | null>({
    doc: 'Days after which finished tasks are deleted; default never.',
    format: 'positive',
    default: null,
    arg: 'task-retention-days',
  }),
};
