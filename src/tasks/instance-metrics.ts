/** Metrics of the instance that only the indexer has: sizes, tasks, batches, indexes. */
import {
  bytesByComponent,
  type IndexManifest,
  liveDocumentCount,
} from '../model/index-manifest.ts';
import { gauge, type Labels, type Metric } from '../observability/metric.ts';
import type { IndexerParts } from './indexer-parts.ts';
import { runningBatchesMetric } from './publishing/batch-metrics.ts';

const MICROSECONDS = 1e6;

export async function instanceMetrics(parts: IndexerParts): Promise<Metric[]> {
  const { catalog, scheduler, batchMetrics, cold } = parts;
  const manifests = [...catalog.all()];
  return [
    ...(await sizeMetrics(parts)),
    ...indexMetrics(manifests),
    ...taskMetrics(parts, manifests),
    gauge(
      'meilisearch_is_indexing',
      'Whether a batch is being processed',
      scheduler.isBusy ? 1 : 0,
    ),
    runningBatchesMetric(scheduler.progress),
    ...batchMetrics.metrics(),
    ...(cold?.metrics() ?? []),
  ];
}

async function sizeMetrics({ sizes, admission }: IndexerParts): Promise<Metric[]> {
  const [{ all, used }, storeBytes] = await Promise.all([sizes.databaseBytes(), sizes.taskBytes()]);
  return [
    gauge('meilisearch_db_size_bytes', 'Bytes of the data folder', all),
    gauge('meilisearch_used_db_size_bytes', 'Bytes that are needed of them', used),
    gauge('meilisearch_task_queue_used_size', 'Bytes of the task database', storeBytes),
    gauge(
      'meilisearch_task_queue_max_size',
      'Bytes that the task database may have',
      admission.limits.taskStoreBytesMax,
    ),
    gauge(
      'meilisearch_task_queue_size_until_stop_registering',
      'Bytes that may still come before writes are refused',
      Math.max(0, admission.limits.taskStoreBytesMax - storeBytes),
    ),
  ];
}

function indexMetrics(manifests: readonly IndexManifest[]): Metric[] {
  const each = (of: (manifest: IndexManifest) => number) =>
    manifests.map((manifest) => [{ index: manifest.uid }, of(manifest)] as const);
  return [
    gauge('meilisearch_index_count', 'Indexes', manifests.length),
    gauge('meilisearch_index_docs_count', 'Documents by index', each(liveDocumentCount)),
    gauge(
      'gannet_index_segments',
      'Segments by index',
      each(({ segments }) => segments.length),
    ),
    gauge(
      'gannet_index_dead_documents',
      'Replaced and deleted documents that no merge has removed yet, by index',
      each(({ segments }) => segments.reduce((sum, { deadCount }) => sum + deadCount, 0)),
    ),
    gauge(
      'gannet_index_bytes',
      'Bytes of the files of segments by index and component',
      manifests.flatMap(({ uid, segments }) =>
        [...bytesByComponent(segments)].map(
          ([component, bytes]) => [{ index: uid, component }, bytes] as const,
        ),
      ),
    ),
  ];
}

function taskMetrics(
  { tasks, clock }: IndexerParts,
  manifests: readonly IndexManifest[],
): Metric[] {
  const counts = tasks.counts();
  const { oldest } = tasks.pending;
  const oldestRow = oldest === null ? null : tasks.row(oldest.uid);
  const latency = oldestRow === null ? 0 : (clock() - oldestRow.enqueuedAt) / MICROSECONDS;
  const updates = manifests.map(({ updatedAt }) => Date.parse(updatedAt) / 1000);
  return [
    gauge('meilisearch_nb_tasks', 'Stored tasks by status, type and index', [
      ...samplesOf('statuses', counts.statuses),
      ...samplesOf('types', counts.types),
      ...samplesOf('indexes', counts.indexes),
    ]),
    gauge('gannet_unfinished_tasks', 'Tasks that wait or are being processed', tasks.pending.size),
    gauge(
      'meilisearch_task_queue_latency_seconds',
      'Age of the oldest task that is not finished',
      Math.max(0, latency),
    ),
    gauge(
      'meilisearch_last_update',
      'When an index changed last, in Unix seconds',
      Math.max(0, ...updates),
    ),
  ];
}

const samplesOf = (
  kind: string,
  counts: ReadonlyMap<string, number>,
): (readonly [Labels, number])[] =>
  [...counts].map(([value, count]) => [{ kind, value }, count] as const);
