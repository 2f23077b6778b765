/** Requests that SlateDB has sent to the object store, as its recorder counts them. */
import type { MetricsRecorder, SlateLibrary } from './slatedb-library.ts';

const REQUESTS = 'slatedb.object_store.request_count';

export class SlateDbRequests {
  readonly recorder: MetricsRecorder;

  constructor({ DefaultMetricsRecorder }: SlateLibrary) {
    this.recorder = new DefaultMetricsRecorder();
  }

  /** By method: get, put, list, delete. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { labels, value } of this.recorder.metrics_by_name(REQUESTS)) {
      const method = labels.find(({ key }) => key === 'op')?.value ?? 'other';
      counts.set(method, (counts.get(method) ?? 0) + Number(value[''] ?? 0));
    }
    return counts;
  }
}
