/** Launch options of writing: memory, threads, batches, tasks kept. */
import { availableMemory, cores } from '../formats.ts';
import { option } from './option.ts';

export const indexingOptions = {
  maxIndexingMemory: option<number>({
    doc: 'Memory that indexing may take beyond what the idle indexer has, mapped files apart; 256 MiB is little. By default two thirds of the RAM.',
    format: 'size',
    default: Math.floor((availableMemory() * 2) / 3),
    env: 'SVC_MAX_INDEXING_MEMORY',
    arg: 'max-indexing-memory',
  }),
  reduceIndexingMemoryUsage: option<boolean>({
    doc: 'Indexing makes do with a quarter of `--max-indexing-memory`, 256 MiB at least: smaller batches and segments, perhaps fewer threads.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_REDUCE_INDEXING_MEMORY_USAGE',
    arg: 'experimental-reduce-indexing-memory-usage',
  }),
  maxIndexingThreads: option<number>({
    doc: 'Threads of the indexing pool, beside one that helps with large batches and one of low priority for merges; one at most for each 192 MiB of `--max-indexing-memory`; default half of the cores.',
    format: 'threads',
    default: Math.max(1, Math.floor(cores() / 2)),
    env: 'SVC_MAX_INDEXING_THREADS',
    arg: 'max-indexing-threads',
  }),
  maxNumberOfBatchedTasks: option<number | null>({
    doc: 'Most tasks in one batch; default unlimited.',
    format: 'positive',
    default: null,
    nullable: true,
    env: 'SVC_EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS',
    arg: 'experimental-max-number-of-batched-tasks',
  }),
  limitBatchedTasksTotalSize: option<number | null>({
    doc: 'Most payload bytes in one batch; default half of the indexing memory, 10 GiB at most.',
    format: 'size',
    default: null,
    nullable: true,
    env: 'SVC_EXPERIMENTAL_LIMIT_BATCHED_TASKS_TOTAL_SIZE',
    arg: 'experimental-limit-batched-tasks-total-size',
  }),
  taskRetentionCount: option<number>({
    doc: 'Stored tasks from which on the oldest finished ones are deleted, a tenth at a time.',
    format: 'positive',
    default: 1_000_000,
    env: 'SVC_TASK_RETENTION_COUNT',
    arg: 'task-retention-count',
  }),
  taskRetentionDays: option<number | null>({
    doc: 'Days after which finished tasks are deleted; default never.',
    format: 'positive',
    default: null,
    nullable: true,
    env: 'SVC_TASK_RETENTION_DAYS',
    arg: 'task-retention-days',
  }),
};
