/**
 * Counters of the query threads of a front in shared memory: a row for each thread, which only this
 * thread writes, so that no messages are needed.
 *
 * Layout: i32 used rows │ i32 unused │ rows of f64: thread id, the cells of METRICS, then the
 * latencies of each kind of work and of each step
 */
import { cellsOf, histogram, Latencies, STEP_BOUNDS } from './latencies.ts';
import { counter, gauge, type Metric } from './metric.ts';

/** Steps of a search, named as in `StepTimes`. */
export const SEARCH_STEPS = [
  'wait for a thread',
  'search > filter',
  'search > read the query',
  'search > find documents',
  'search > rank',
  'search > rank by meaning',
  'answer > hits',
  'answer > facets',
] as const;

const WORK_KINDS = [
  'search',
  'federated',
  'facetSearch',
  'similar',
  'document',
  'documents',
  'fields',
  'fingerprint',
  'stats',
  'settingsPreview',
] as const;

/** Gauges include live threads only. */
const METRICS = {
  degradedSearches: 'counter',
  keptHits: 'counter',
  keptMisses: 'counter',
  keptBytes: 'gauge',
  openSnapshots: 'gauge',
  heapBytes: 'gauge',
} as const;
type MetricName = keyof typeof METRICS;
const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];

const HEADER_BYTES = 8;
const TIMED: readonly string[] = [...WORK_KINDS, ...SEARCH_STEPS];
const TIMES_AT = 1 + METRIC_NAMES.length;
const ROW_CELLS = TIMES_AT + TIMED.length * cellsOf(STEP_BOUNDS);
/**
 * Rows for threads that replace dead threads. When all rows are used, rows of dead threads are
 * reused.
 */
const SPARE_ROWS = 8;

const rowAt = (memory: SharedArrayBuffer, row: number): Float64Array =>
  new Float64Array(memory, HEADER_BYTES + row * ROW_CELLS * 8, ROW_CELLS);

function latenciesIn(row: Float64Array): Map<string, Latencies> {
  const cells = cellsOf(STEP_BOUNDS);
  return new Map(
    TIMED.map((name, i) => {
      const at = TIMES_AT + i * cells;
      return [name, new Latencies(STEP_BOUNDS, row.subarray(at, at + cells))];
    }),
  );
}

/** The writing side: one thread. */
export class ThreadMetrics {
  readonly #row: Float64Array;
  readonly #latencies: ReadonlyMap<string, Latencies>;

  constructor(memory: SharedArrayBuffer, threadId: number) {
    const rows = (memory.byteLength - HEADER_BYTES) / (ROW_CELLS * 8);
    this.#row = rowAt(memory, Atomics.add(new Int32Array(memory, 0, 1), 0, 1) % rows);
    this.#row[0] = threadId;
    this.#latencies = latenciesIn(this.#row);
  }

  /** Counters of a thread whose metrics are never read. */
  static alone(): ThreadMetrics {
    return new ThreadMetrics(new SharedArrayBuffer(HEADER_BYTES + ROW_CELLS * 8), 0);
  }

  set(name: MetricName, value: number): void {
    this.#row[1 + METRIC_NAMES.indexOf(name)] = value;
  }

  count(name: MetricName): void {
    const at = 1 + METRIC_NAMES.indexOf(name);
    this.#row[at] = (this.#row[at] ?? 0) + 1;
  }

  /** @param steps milliseconds by step */
  tookSteps(steps: ReadonlyMap<string, number>): void {
    for (const [step, ms] of steps) this.took(step, ms);
  }

  /** A unit of work, or a step of a search. */
  took(name: string, milliseconds: number): void {
    this.#latencies.get(name)?.observe(milliseconds / 1000);
  }
}

/** The reading side: the front. */
export class QueryMetrics {
  /** Shared memory of `ThreadMetrics`. */
  readonly shared: SharedArrayBuffer;
  readonly #rows: readonly Float64Array[];

  constructor(threads: number) {
    const rows = threads + SPARE_ROWS;
    this.shared = new SharedArrayBuffer(HEADER_BYTES + rows * ROW_CELLS * 8);
    this.#rows = Array.from({ length: rows }, (_, row) => rowAt(this.shared, row));
  }

  /** @param alive ids of the running threads */
  metrics(alive: ReadonlySet<number>): Metric[] {
    const sum = (name: MetricName): number => {
      const rows =
        METRICS[name] === 'gauge' ? this.#rows.filter(([id]) => alive.has(id ?? 0)) : this.#rows;
      const at = 1 + METRIC_NAMES.indexOf(name);
      return rows.reduce((total, row) => total + (row[at] ?? 0), 0);
    };
    const latencies = this.#latencies();
    const series = (label: string, names: readonly string[]) =>
      names.flatMap((name) => {
        const own = latencies.get(name);
        return own === undefined || own.count === 0 ? [] : [[{ [label]: name }, own] as const];
      });
    return [
      gauge('gannet_query_threads', 'Query threads', alive.size),
      gauge(
        'meilisearch_degraded_search_requests',
        'Searches cut short at their time limit',
        sum('degradedSearches'),
      ),
      counter('gannet_kept_results_hits_total', 'Query cache hits', sum('keptHits')),
      counter('gannet_kept_results_misses_total', 'Query cache misses', sum('keptMisses')),
      gauge('gannet_kept_results_bytes', 'Bytes in the query caches', sum('keptBytes')),
      gauge(
        'gannet_open_snapshots',
        'Index generations open in query threads',
        sum('openSnapshots'),
      ),
      gauge('gannet_query_heap_bytes', 'JavaScript heap of the query threads', sum('heapBytes')),
      histogram(
        'gannet_query_work_seconds',
        'Time of work in query threads, by kind',
        series('kind', WORK_KINDS),
      ),
      histogram(
        'gannet_search_stage_seconds',
        'Time of the stages of searches',
        series('stage', SEARCH_STEPS),
      ),
    ];
  }

  #latencies(): Map<string, Latencies> {
    const total = new Map(TIMED.map((name) => [name, new Latencies(STEP_BOUNDS)]));
    for (const row of this.#rows)
      for (const [name, own] of latenciesIn(row)) total.get(name)?.add(own);
    return total;
  }
}
