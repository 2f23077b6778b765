/**
 * Histograms of durations in an array of numbers, which may be shared memory. An observation costs
 * one or two additions; the metric is built at scrape time.
 */
import type { Labels, Metric, Sample } from './metric.ts';

/** Upper bounds in seconds. Longer durations have a separate last count. */
export type Bounds = readonly number[];
export const REQUEST_BOUNDS: Bounds = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
/** For steps of a search: most are shorter than the first bound of a request. */
export const STEP_BOUNDS: Bounds = [
  0.00001,
  0.0001,
  0.00025,
  0.0005,
  0.001,
  0.0025,
  ...REQUEST_BOUNDS,
];
/** For batches. */
export const BATCH_BOUNDS: Bounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 7200];

/**
 * Numbers that one histogram occupies: a count for each bound, one for longer durations, and the
 * sum.
 */
export const cellsOf = (bounds: Bounds): number => bounds.length + 2;

export class Latencies {
  readonly #bounds: Bounds;
  readonly #cells: Float64Array<ArrayBufferLike>;

  /** @param cells array of `cellsOf(bounds)` numbers */
  constructor(
    bounds: Bounds,
    cells: Float64Array<ArrayBufferLike> = new Float64Array(cellsOf(bounds)),
  ) {
    this.#bounds = bounds;
    this.#cells = cells;
  }

  observe(seconds: number): void {
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && seconds > (bounds[i] ?? 0)) i++;
    const cells = this.#cells;
    cells[i] = (cells[i] ?? 0) + 1;
    cells[bounds.length + 1] = (cells[bounds.length + 1] ?? 0) + seconds;
  }

  /** Adds the observations of another histogram with the same bounds. */
  add(other: Latencies): void {
    for (const [i, value] of other.#cells.entries()) this.#cells[i] = (this.#cells[i] ?? 0) + value;
  }

  get count(): number {
    return this.#cells.subarray(0, -1).reduce((sum, count) => sum + count, 0);
  }

  samples(name: string, labels: Labels): Sample[] {
    let count = 0;
    const buckets = [...this.#bounds, '+Inf'].map((bound, i) => {
      count += this.#cells[i] ?? 0;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: String(bound) },
        value: count,
      };
    });
    const sum = this.#cells[this.#bounds.length + 1] ?? 0;
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

export const histogram = (
  name: string,
  help: string,
  series: Iterable<readonly [Labels, Latencies]>,
): Metric => ({
  name,
  help,
  type: 'histogram',
  values: [...series].flatMap(([labels, latencies]) => latencies.samples(name, labels)),
});
