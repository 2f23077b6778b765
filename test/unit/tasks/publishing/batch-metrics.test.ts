/** What the metrics say of batches. */
import { expect, it } from 'vitest';
import type { ProgressReading } from '../../../../src/model/batch-progress.ts';
import type { BatchRecord } from '../../../../src/model/task.ts';
import { prometheusText } from '../../../../src/observability/prometheus.ts';
import {
  BatchMetrics,
  runningBatchesMetric,
} from '../../../../src/tasks/publishing/batch-metrics.ts';

const reading = (own: Partial<ProgressReading>): ProgressReading => ({
  step: null,
  unit: 'documents',
  done: 0,
  total: 0,
  stepsFinished: 0,
  stepsPlanned: 3,
  durations: new Map(),
  embedderRequests: { total: 0, failed: 0 },
  ...own,
});

const record = (uid: number, index: string, indexedDocuments: number): BatchRecord => ({
  uid,
  progress: null,
  details: { indexedDocuments },
  stats: { totalNbTasks: 1, status: {}, types: {}, indexUids: { [index]: 1 } },
  duration: null,
  startedAt: '2024-08-08T17:05:55Z',
  finishedAt: null,
  batchStrategy: '',
});

it('tells times and documents of all batches, and steps of the last one', async () => {
  const figures = new BatchMetrics();
  figures.ended(record(0, 'a', 3), reading({ durations: new Map([['committing', 5]]) }), 20);
  figures.ended(record(1, 'b', 4), reading({ durations: new Map([['committing', 7]]) }), 60);
  const lines = (await prometheusText([figures.metrics()])).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'gannet_batch_seconds_bucket{le="0.05"} 1',
      'gannet_batch_seconds_count 2',
      'gannet_batch_step_seconds_count{step="committing"} 2',
      'gannet_indexed_documents_total 7',
      'meilisearch_last_finished_batches_progress_trace_ms{batch_uid="1",step_name="committing"} 7',
      'meilisearch_last_indexed_documents_count{batch_uid="1",index="b"} 4',
      'meilisearch_last_indexed_documents_duration_ms{batch_uid="1",index="b"} 60',
    ]),
  );
  expect(lines.filter((line) => line.includes('batch_uid="0"'))).toEqual([]);
});

it('has the progress of each running batch that has begun a step', () => {
  expect(runningBatchesMetric([]).values).toEqual([]);
  const progress = reading({ step: 'building segments', done: 1, total: 4 });
  const running = [
    { uid: 8, progress: reading({}) },
    { uid: 9, progress },
    { uid: 10, progress: reading({ step: 'committing' }) },
  ];
  expect(runningBatchesMetric(running).values).toEqual([
    { labels: { batch_uid: '9', step_name: 'building segments' }, value: 0.25 },
    { labels: { batch_uid: '10', step_name: 'committing' }, value: 0 },
  ]);
});
