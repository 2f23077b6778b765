/** Launch options of what operators see: logs, metrics, usage figures. */
import { LOG_LEVELS } from '../formats.ts';
import { option } from './option.ts';

export const observingOptions = {
  /** A level, levels of parts, or both: `INFO,HTTP=DEBUG`. */
  logLevel: option<string>({
    doc: `Least severe level that is logged: ${LOG_LEVELS.join(', ')}; also by part, as in info,http=debug,search=off.`,
    format: 'logLevel',
    default: 'INFO',
    env: 'SVC_LOG_LEVEL',
    arg: 'log-level',
  }),
  logsMode: option<'HUMAN' | 'JSON'>({
    doc: 'Form of the log: HUMAN or JSON.',
    format: 'logsMode',
    default: 'HUMAN',
    env: 'SVC_EXPERIMENTAL_LOGS_MODE',
    arg: 'experimental-logs-mode',
  }),
  slowSearchMs: option<number>({
    doc: 'Milliseconds from which on a search is logged with its steps; 0 logs none.',
    format: 'count',
    default: 500,
    env: 'SVC_SLOW_SEARCH_MS',
    arg: 'slow-search-ms',
  }),
  enableMetrics: option<boolean>({
    doc: 'Starts with the experimental feature `metrics` on: `GET /metrics` answers.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_ENABLE_METRICS',
    arg: 'experimental-enable-metrics',
  }),
  enableLogsRoute: option<boolean>({
    doc: 'Starts with the experimental feature `logsRoute` on: the routes below `/logs` answer.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_ENABLE_LOGS_ROUTE',
    arg: 'experimental-enable-logs-route',
  }),
  noAnalytics: option<boolean>({
    doc: 'Counts no figures of usage, so that none can be told; docs/telemetry.md.',
    format: 'flag',
    default: false,
    env: 'SVC_NO_ANALYTICS',
    arg: 'no-analytics',
  }),
  telemetryUrl: option<string | null>({
    doc: 'Server that is told figures of usage every hour, which hold no text of users; by default nobody is. `GET /telemetry/preview` shows them.',
    format: 'httpUrl',
    default: null,
    nullable: true,
    env: 'SVC_TELEMETRY_URL',
    arg: 'telemetry-url',
  }),
  serverProvider: option<string | null>({
    doc: 'Who hosts this server, as its figures of usage tell it.',
    format: 'word',
    default: null,
    nullable: true,
    env: 'SVC_SERVER_PROVIDER',
    arg: 'server-provider',
  }),
};
