/**
 * Traces and metrics of a process, sent by the SDK of OpenTelemetry to a collector (OTLP over HTTP).
 * Its packages are optional and loaded here only. The SDK reads sampler, headers and resource from its
 * variables `OTEL_…`.
 */
import type { Span, SpanContext } from '@opentelemetry/api';
import type { SpanFacts, TraceSpan } from '../core/trace-span.ts';
import type { Metric } from './metric.ts';
import { toMetricData } from './otlp-metrics.ts';

const NAMES = [
  ...['api', 'resources', 'sdk-trace-base', 'sdk-metrics'],
  ...['exporter-trace-otlp-http', 'exporter-metrics-otlp-http'],
].map((name) => `@opentelemetry/${name}`);
const SCOPE = 'gannet';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** Failures of exports that are logged. */
const LOG_EVERY_MS = 60_000;
/** Wait for a collector that does not answer, at the end of the process. */
const STOP_MS = 2000;

type Api = typeof import('@opentelemetry/api');
type Packages = readonly [
  Api,
  typeof import('@opentelemetry/resources'),
  typeof import('@opentelemetry/sdk-trace-base'),
  typeof import('@opentelemetry/sdk-metrics'),
  typeof import('@opentelemetry/exporter-trace-otlp-http'),
  typeof import('@opentelemetry/exporter-metrics-otlp-http'),
];

export interface OpenSpan extends TraceSpan {
  /** @param endMs epoch milliseconds; default: now */
  end(facts: SpanFacts, isError: boolean, endMs?: number): void;
}

export interface Traces {
  /**
   * @param traceparent header of the parent; anything else begins a new trace
   * @param startMs epoch milliseconds; default: now
   */
  begin(name: string, traceparent: string, facts: SpanFacts, startMs?: number): OpenSpan;
}

export interface OtlpOptions {
  /** Of the collector, such as `http://localhost:4318`. */
  readonly url: string;
  readonly version: string;
  /** Of the process, in the metrics and traces. */
  readonly role: 'front' | 'indexer';
  readonly metrics: () => readonly Metric[] | Promise<readonly Metric[]>;
  readonly log: { warn(message: string): void };
}

export interface Otlp {
  readonly traces: Traces;
  /** Sends the remaining spans and points, for at most 2 seconds. */
  stop(): Promise<void>;
}

/** Throws with advice if a package is missing. */
async function loadPackages(): Promise<Packages> {
  try {
    return (await Promise.all(NAMES.map((name) => import(name)))) as unknown as Packages;
  } catch (cause) {
    throw new Error(
      `the packages of OpenTelemetry are missing: \`npm install --no-save ${NAMES.join(' ')}\``,
      { cause },
    );
  }
}

export async function startOtlp({ url, version, role, metrics, log }: OtlpOptions): Promise<Otlp> {
  const [api, resources, traceSdk, metricSdk, { OTLPTraceExporter }, { OTLPMetricExporter }] =
    await loadPackages();
  logFailures(api, log);
  const resource = resources
    .resourceFromAttributes({
      'service.name': SCOPE,
      'service.version': version,
      'service.instance.id': `${role}-${process.pid}`,
      'gannet.role': role,
    })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const base = url.replace(/\/$/, '');
  const traceProvider = new traceSdk.BasicTracerProvider({
    resource,
    spanProcessors: [
      new traceSdk.BatchSpanProcessor(new OTLPTraceExporter({ url: `${base}/v1/traces` })),
    ],
  });
  const startedMs = Date.now() - process.uptime() * 1000;
  const scopeMetrics = async () => [
    {
      scope: { name: SCOPE },
      metrics: toMetricData(metricSdk, await metrics(), startedMs, Date.now()),
    },
  ];
  const reader = new metricSdk.PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
    metricProducers: [
      {
        collect: async () => ({
          resourceMetrics: { resource, scopeMetrics: await scopeMetrics() },
          errors: [],
        }),
      },
    ],
  });
  const meterProvider = new metricSdk.MeterProvider({ resource, readers: [reader] });
  return {
    traces: tracesOf(api, traceProvider.getTracer(SCOPE, version)),
    async stop() {
      const ends = [traceProvider.shutdown(), meterProvider.shutdown()];
      const late = new Promise((resolve) => setTimeout(resolve, STOP_MS).unref());
      await Promise.race([Promise.allSettled(ends), late]);
    },
  };
}

/** A collector that does not answer is reported once a minute. */
function logFailures({ diag, DiagLogLevel }: Api, log: OtlpOptions['log']): void {
  let nextMs = 0;
  const report = (message: string): void => {
    if (Date.now() < nextMs) return;
    nextMs = Date.now() + LOG_EVERY_MS;
    log.warn(`traces or metrics were not sent: ${message.slice(0, 300)}`);
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
}

function tracesOf(api: Api, tracer: ReturnType<Api['trace']['getTracer']>): Traces {
  const { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;
  return {
    begin: (name, traceparent, facts, startMs) => {
      const parent = parentOf(api, traceparent);
      const wallMs = startMs ?? Date.now();
      const monotonicMs = performance.now();
      const nowMs = (): number =>
        startMs === undefined ? wallMs + performance.now() - monotonicMs : Date.now();
      const span: Span = tracer.startSpan(
        name,
        { kind: SpanKind.SERVER, attributes: { ...facts }, startTime: wallMs },
        parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
      );
      const inside = trace.setSpan(ROOT_CONTEXT, span);
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        add: (part, beganMsAgo, endedMsAgo, more = {}) => {
          const now = nowMs();
          const options = { startTime: now - beganMsAgo, attributes: { ...more } };
          tracer.startSpan(part, options, inside).end(now - endedMsAgo);
        },
        end: (more, isError, endMs = nowMs()) => {
          span.setAttributes({ ...more });
          if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(endMs);
        },
      };
    },
  };
}

/** null for a header that is absent or malformed. */
function parentOf({ isSpanContextValid }: Api, traceparent: string): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(parent) ? parent : null;
}
