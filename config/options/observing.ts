/** Launch options of logs, metrics and usage figures. */
import { LOG_LEVELS } from '../formats.ts';
import { option } from './option.ts';

export const observingOptions = {
  /** A level, levels of parts, or both: `INFO,HTTP=DEBUG`. */
  logLevel: option<string>({
    doc: `Log level: ${LOG_LEVELS.join(', ')}; also by part, as in info,http=debug,search=off.`,
    format: 'logLevel',
    default: 'INFO',
    arg: 'log-level',
  }),
  logsMode: option<'HUMAN' | 'JSON'>({
    doc: 'Log format: HUMAN or JSON.',
    format: 'logsMode',
    default: 'HUMAN',
    arg: 'experimental-logs-mode',
  }),
  slowSearchMs: option<number>({
    doc: 'Searches that take at least this many milliseconds are logged with their steps; 0 logs none.',
    format: 'count',
    default: 500,
    arg: 'slow-search-ms',
  }),
  enableMetrics: option<boolean>({
    doc: 'Enables the experimental feature `metrics` at start: `GET /metrics`.',
    format: 'flag',
    default: false,
    arg: 'experimental-enable-metrics',
  }),
  enableLogsRoute: option<boolean>({
    doc: 'Enables the experimental feature `logsRoute` at start: the routes below `/logs`.',
    format: 'flag',
    default: false,
    arg: 'experimental-enable-logs-route',
  }),
  noAnalytics: option<boolean>({
    doc: 'Disables usage figures: none are collected or sent; see docs/telemetry.md.',
    format: 'flag',
    default: false,
    arg: 'no-analytics',
  }),
  searchAnalytics: option<boolean>({
    doc: 'Keeps searches, and the events of `POST /events`, for the reports of `GET /analytics/queries` and `/analytics/counts`; not with `--store`. See docs/analytics.md.',
    format: 'flag',
    default: false,
    arg: 'search-analytics',
  }),
  searchAnalyticsDays: option<number>({
    doc: 'Days for which search analytics are kept, today included.',
    format: 'positive',
    default: 30,
    arg: 'search-analytics-days',
  }),
  searchAnalyticsSize: option<number>({
    doc: 'Maximum size of the files of search analytics; beyond it the oldest are deleted.',
    format: 'size',
    default: 256 * 1024 ** 2,
    arg: 'search-analytics-size',
  }),
  auditLog: option<boolean>({
    doc: 'Records changes and refused authorizations in files of the data folder, which `GET /audit-log` lists. See docs/audit-log.md.',
    format: 'flag',
    default: false,
    arg: 'audit-log',
  }),
  auditLogDays: option<number>({
    doc: 'Days for which the audit log is kept, today included.',
    format: 'positive',
    default: 365,
    arg: 'audit-log-days',
  }),
  auditLogSize: option<number>({
    doc: 'Maximum size of the files of the audit log; beyond it the oldest are deleted.',
    format: 'size',
    default: 1024 ** 3,
    arg: 'audit-log-size',
  }),
  otlpUrl: option<string | null>({
    doc: 'OpenTelemetry collector (OTLP over HTTP, such as `http://localhost:4318`) that receives traces and metrics. Needs the packages of OpenTelemetry. See docs/opentelemetry.md.',
    format: 'httpUrl',
    default: null,
    arg: 'otlp-url',
  }),
  telemetryUrl: option<string | null>({
    doc: 'Server that receives usage figures every hour; they contain no text of users. Default: none are sent. `GET /telemetry/preview` shows them.',
    format: 'httpUrl',
    default: null,
    arg: 'telemetry-url',
  }),
  serverProvider: option<string | null>({
    doc: 'Hosting provider of this server, included in the usage figures.',
    format: 'word',
    default: null,
    arg: 'server-provider',
  }),
};
