/**
 * Counts the requests of a front by route, and adds up the counts of all fronts. Holds no text of
 * users: names are those of routes, their parameters, known clients and known media types.
 */
import { isObject, objectOf } from '../core/json.ts';
import type { TSchema } from '../model/schemas/schema.ts';
import type { Counts, RouteUsage, TelemetryBundle, UsageReport } from '../model/usage-report.ts';
import { clientOf, mediaTypeOf } from './known-names.ts';

export interface EndedRequest {
  readonly route: { readonly id: string; readonly query?: TSchema; readonly body?: TSchema };
  /** As validated; undefined if the request was refused earlier or has none. */
  readonly query: unknown;
  readonly body: unknown;
  /** Header that names the client. */
  readonly client: string;
  readonly contentType: string | null;
  readonly status: number;
  readonly durationMs: number;
  /** A search of the request reached its time limit. */
  readonly isDegraded: boolean;
}

/** Names of clients, with their versions, that are counted; further ones are ignored. */
const CLIENTS_MAX = 512;
/** Characters of a header that are read. */
const HEADER_MAX = 256;

/** Upper bound of each class of durations, relative to the class before. */
const GROWTH = 1.1;
const SHORTEST_MS = 0.01;

const noUsage = (): UsageReport => ({ clients: {}, mediaTypes: {}, routes: {} });

function add(counts: Counts, name: string, more = 1): void {
  counts[name] = (counts[name] ?? 0) + more;
}

/** The members of the value that the schema names. */
function parametersIn(schema: TSchema | undefined, value: unknown): string[] {
  const known = Object.keys(objectOf(objectOf(schema)['properties']));
  return isObject(value) ? known.filter((name) => (value[name] ?? null) !== null) : [];
}

export class UsageFigures {
  #usage = noUsage();

  ended({ route, query, body, client, contentType, ...request }: EndedRequest): void {
    const { counts, durations } = this.#routeUsage(route.id);
    const isOk = request.status < 400;
    add(counts, 'requests.total_received');
    add(counts, isOk ? 'requests.total_succeeded' : 'requests.total_failed');
    if (request.isDegraded) add(counts, 'requests.total_degraded');
    for (const name of [...parametersIn(route.query, query), ...parametersIn(route.body, body)])
      add(counts, `parameters.${name}`);
    const { queries } = objectOf(body);
    if (Array.isArray(queries)) add(counts, 'searches.total_search_count', queries.length);
    const growths = Math.ceil(Math.log(request.durationMs / SHORTEST_MS) / Math.log(GROWTH));
    if (isOk) add(durations, String(Math.max(0, growths)));
    if (client !== '') this.#addClient(clientOf(client.slice(0, HEADER_MAX)));
    if (contentType) add(this.#usage.mediaTypes, mediaTypeOf(contentType.slice(0, HEADER_MAX)));
  }

  /** Adds the counts of another process. */
  add({ clients, mediaTypes, routes }: UsageReport): void {
    for (const [name, count] of Object.entries(clients)) this.#addClient(name, count);
    for (const [name, count] of Object.entries(mediaTypes))
      add(this.#usage.mediaTypes, name, count);
    for (const [id, { counts, durations }] of Object.entries(routes)) {
      const own = this.#routeUsage(id);
      for (const [name, count] of Object.entries(counts)) add(own.counts, name, count);
      for (const [growths, count] of Object.entries(durations)) add(own.durations, growths, count);
    }
  }

  /** Counts since the last `take`. */
  get report(): UsageReport {
    return this.#usage;
  }

  take(): UsageReport {
    const report = this.#usage;
    this.#usage = noUsage();
    return report;
  }

  #routeUsage(id: string): RouteUsage {
    this.#usage.routes[id] ??= { counts: {}, durations: {} };
    return this.#usage.routes[id];
  }

  #addClient(name: string, count = 1): void {
    const { clients } = this.#usage;
    if (name in clients || Object.keys(clients).length < CLIENTS_MAX) add(clients, name, count);
  }
}

/** Milliseconds that 99 percent did not exceed, rounded up by at most a tenth. */
function percentile99(durations: Counts): number | null {
  let left = 0.99 * Object.values(durations).reduce((all, count) => all + count, 0);
  // Names that are whole numbers come in ascending order.
  for (const [growths, count] of Object.entries(durations)) {
    left -= count;
    if (left <= 0) return Number((SHORTEST_MS * GROWTH ** Number(growths)).toFixed(2));
  }
  return null;
}

/** A report as it is sent: all requests, then one event for each route that was requested. */
export function shownEvents({
  clients,
  mediaTypes,
  routes,
}: UsageReport): TelemetryBundle['events'] {
  const byRoute = Object.entries(routes).map(([event, { counts, durations }]) => ({
    event,
    figures: { ...counts, 'requests.99th_response_time': percentile99(durations) },
  }));
  const names = {
    user_agent: Object.keys(clients).sort(),
    payload_type: Object.keys(mediaTypes).sort(),
  };
  return byRoute.length === 0 ? [] : [{ event: 'requests', figures: names }, ...byRoute];
}
