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
    doc: 'Turns off anonymous usage figures (none are sent today).',
    format: 'flag',
    default: false,
    env: 'SVC_NO_ANALYTICS',
    arg: 'no-analytics',
  }),
};
