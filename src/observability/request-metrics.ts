/** Request metrics of a front: counts by route and status, and durations. */
import { getOrCompute } from '../core/get-or-compute.ts';
import { snakeCase } from '../core/snake-case.ts';
import { histogram, Latencies, REQUEST_BOUNDS } from './latencies.ts';
import { counter, type Metric } from './metric.ts';

interface CountedRoute {
  readonly method: string;
  /** Path as in the route definition, `/indexes/:indexUid`. */
  readonly path: string;
}

interface RouteMetrics {
  readonly latencies: Latencies;
  readonly byStatus: Map<number, number>;
}

/** `/indexes/:indexUid` → `/indexes/{index_uid}`, the form in dashboards. */
const patternOf = (path: string): string =>
  path.replace(/:(\w+)/g, (_, name: string) => `{${snakeCase(name)}}`);

export class RequestMetrics {
  readonly #routes = new Map<CountedRoute, RouteMetrics>();

  ended(route: CountedRoute, status: number, durationMs: number): void {
    const metrics = getOrCompute(this.#routes, route, () => ({
      latencies: new Latencies(REQUEST_BOUNDS),
      byStatus: new Map(),
    }));
    metrics.latencies.observe(durationMs / 1000);
    metrics.byStatus.set(status, (metrics.byStatus.get(status) ?? 0) + 1);
  }

  metrics(): Metric[] {
    const routes = [...this.#routes].map(
      ([{ method, path }, metrics]) => [{ method, path: patternOf(path) }, metrics] as const,
    );
    return [
      counter(
        'meilisearch_http_requests_total',
        'Requests by route and status',
        routes.flatMap(([labels, { byStatus }]) =>
          [...byStatus].map(
            ([status, count]) => [{ ...labels, status: String(status) }, count] as const,
          ),
        ),
      ),
      histogram(
        'meilisearch_http_response_time_seconds',
        'Time from the arrival of a request to its response',
        routes.map(([labels, { latencies }]) => [labels, latencies] as const),
      ),
    ];
  }
}
