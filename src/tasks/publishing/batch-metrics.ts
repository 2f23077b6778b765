/** Metrics of batches that ended since the start. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { ProgressReading } from '../../model/batch-progress.ts';
import type { BatchRecord } from '../../model/task.ts';
import { BATCH_BOUNDS, histogram, Latencies } from '../../observability/latencies.ts';
import { counter, gauge, type Labels, type Metric } from '../../observability/metric.ts';
import { documentCount } from './batch-log.ts';

interface LastBatch {
  readonly uid: number;
  readonly indexUid: string | null;
  readonly documents: number;
  readonly milliseconds: number;
  readonly durations: ProgressReading['durations'];
}

export class BatchMetrics {
  readonly #total = new Latencies(BATCH_BOUNDS);
  readonly #steps = new Map<string, Latencies>();
  #documents = 0;
  #last: LastBatch | null = null;

  ended(record: BatchRecord, { durations }: ProgressReading, milliseconds: number): void {
    const documents = documentCount(record.details);
    this.#total.observe(milliseconds / 1000);
    for (const [step, ms] of durations) this.#stepOf(step).observe(ms / 1000);
    this.#documents += documents;
    const [indexUid = null] = Object.keys(record.stats.indexUids);
    this.#last = { uid: record.uid, indexUid, documents, milliseconds, durations };
  }

  metrics(): Metric[] {
    return [
      histogram('gannet_batch_seconds', 'Time that batches took', [[{}, this.#total]]),
      histogram(
        'gannet_batch_step_seconds',
        'Time of the steps of batches',
        [...this.#steps].map(([step, latencies]) => [{ step }, latencies] as const),
      ),
      counter(
        'gannet_indexed_documents_total',
        'Documents that batches have added, changed or deleted',
        this.#documents,
      ),
      ...(this.#last === null ? [] : metricsOfLast(this.#last)),
    ];
  }

  #stepOf(step: string): Latencies {
    return getOrCompute(this.#steps, step, () => new Latencies(BATCH_BOUNDS));
  }
}

function metricsOfLast(last: LastBatch): Metric[] {
  const { uid, indexUid, documents, milliseconds, durations } = last;
  const batch = { batch_uid: String(uid) };
  const labels: Labels = indexUid === null ? batch : { ...batch, index: indexUid };
  return [
    gauge(
      'meilisearch_last_finished_batches_progress_trace_ms',
      'Time of each step of the last batch',
      [...durations].map(([step, ms]) => [{ ...batch, step_name: step }, ms] as const),
    ),
    gauge('meilisearch_last_indexed_documents_count', 'Documents of the last batch', [
      [labels, documents],
    ]),
    gauge('meilisearch_last_indexed_documents_duration_ms', 'Time of the last batch', [
      [labels, milliseconds],
    ]),
  ];
}

export function runningBatchesMetric(
  running: readonly { readonly uid: number; readonly progress: ProgressReading }[],
): Metric {
  return gauge(
    'meilisearch_batch_running_progress_trace',
    'How far the current step of each running batch is, 0 to 1',
    running.flatMap(({ uid, progress: { step, done, total } }) => {
      const share = total === 0 ? 0 : Math.min(1, done / total);
      const labels = { batch_uid: String(uid), step_name: step ?? '' };
      return step === null ? [] : [[labels, share] as const];
    }),
  );
}
