/**
 * What the query threads of a front count, in memory that they share with it: a row for each
 * thread, which alone writes it, so that nobody sends or waits for messages.
 *
 * Layout: i32 rows taken │ i32 unused │ rows of f64: thread id, the cells of FIGURES, then the
 * latencies of each kind of work and of each step
 */
import { cellsOf, histogram, Latencies, STEP_BOUNDS } from './latencies.ts';
import { counter, gauge, type Metric } from './metric.ts';

/** Steps of a search, as `StepTimes` names them. */
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

/** What query threads are asked for. */
export const WORK_KINDS = [
  'search',
  'federated',
  'facetSearch',
  'similar',
  'document',
  'documents',
  'fields',
  'stats',
  'settingsPreview',
] as const;

/** Gauges are those of living threads only. */
const FIGURES = {
  degradedSearches: 'counter',
  keptHits: 'counter',
  keptMisses: 'counter',
  keptBytes: 'gauge',
  openSnapshots: 'gauge',
  heapBytes: 'gauge',
} as const;
type Figure = keyof typeof FIGURES;
const FIGURE_NAMES = Object.keys(FIGURES) as readonly Figure[];

const HEADER_BYTES = 8;
const TIMED: readonly string[] = [...WORK_KINDS, ...SEARCH_STEPS];
const TIMES_AT = 1 + FIGURE_NAMES.length;
const ROW_CELLS = TIMES_AT + TIMED.length * cellsOf(STEP_BOUNDS);
/** For threads that take the place of dead ones; after so many more, rows are taken again. */
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

/** The side of one thread. */
export class ThreadFigures {
  readonly #row: Float64Array;
  readonly #latencies: ReadonlyMap<string, Latencies>;

  constructor(memory: SharedArrayBuffer, threadId: number) {
    const rows = (memory.byteLength - HEADER_BYTES) / (ROW_CELLS * 8);
    this.#row = rowAt(memory, Atomics.add(new Int32Array(memory, 0, 1), 0, 1) % rows);
    this.#row[0] = threadId;
    this.#latencies = latenciesIn(this.#row);
  }

  /** Of a thread whose figures nobody reads. */
  static alone(): ThreadFigures {
    return new ThreadFigures(new SharedArrayBuffer(HEADER_BYTES + ROW_CELLS * 8), 0);
  }

  set(figure: Figure, value: number): void {
    this.#row[1 + FIGURE_NAMES.indexOf(figure)] = value;
  }

  /** One more of a counter. */
  count(figure: Figure): void {
    const at = 1 + FIGURE_NAMES.indexOf(figure);
    this.#row[at] = (this.#row[at] ?? 0) + 1;
  }

  /** @param steps milliseconds of each */
  tookSteps(steps: ReadonlyMap<string, number>): void {
    for (const [step, ms] of steps) this.took(step, ms);
  }

  /** A piece of work, or a step of a search. */
  took(name: string, milliseconds: number): void {
    this.#latencies.get(name)?.observe(milliseconds / 1000);
  }
}

/** The side of the front. */
export class QueryFigures {
  /** `memory` of `ThreadFigures`. */
  readonly shared: SharedArrayBuffer;
  readonly #rows: readonly Float64Array[];

  constructor(threads: number) {
    const rows = threads + SPARE_ROWS;
    this.shared = new SharedArrayBuffer(HEADER_BYTES + rows * ROW_CELLS * 8);
    this.#rows = Array.from({ length: rows }, (_, row) => rowAt(this.shared, row));
  }

  /** @param alive ids of the threads that run */
  metrics(alive: ReadonlySet<number>): Metric[] {
    const sum = (figure: Figure): number => {
      const rows =
        FIGURES[figure] === 'gauge' ? this.#rows.filter(([id]) => alive.has(id ?? 0)) : this.#rows;
      const at = 1 + FIGURE_NAMES.indexOf(figure);
      return rows.reduce((total, row) => total + (row[at] ?? 0), 0);
    };
    const latencies = this.#latencies();
    const series = (label: string, names: readonly string[]) =>
      names.flatMap((name) => {
        const own = latencies.get(name);
        return own === undefined || own.count === 0 ? [] : [[{ [label]: name }, own] as const];
      });
    return [
      gauge('gannet_query_threads', 'Threads that search', alive.size),
      gauge(
        'meilisearch_degraded_search_requests',
        'Searches that ended at their time limit',
        sum('degradedSearches'),
      ),
      counter(
        'gannet_kept_results_hits_total',
        'Results that a search found kept by an earlier one',
        sum('keptHits'),
      ),
      counter(
        'gannet_kept_results_misses_total',
        'Results that a search had to make itself',
        sum('keptMisses'),
      ),
      gauge('gannet_kept_results_bytes', 'Memory that kept results take', sum('keptBytes')),
      gauge(
        'gannet_open_snapshots',
        'Index generations that query threads have open',
        sum('openSnapshots'),
      ),
      gauge('gannet_query_heap_bytes', 'JavaScript objects of query threads', sum('heapBytes')),
      histogram(
        'gannet_query_work_seconds',
        'Time that query threads worked, by what they were asked for',
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
