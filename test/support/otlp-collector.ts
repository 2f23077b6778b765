/** A collector of OpenTelemetry on a real socket: keeps the spans and metrics that it receives as JSON. */
import { createServer } from 'node:http';

export interface CollectedSpan {
  readonly process: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the JSON of the protocol
type Json = any;

const factsOf = (attributes: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansOf = ({ resourceSpans = [] }: Json): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) =>
      spans.map((span: Json) => ({
        process: String(factsOf(resource.attributes)['gannet.role']),
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        duration: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        facts: factsOf(span.attributes),
        isError: span.status?.code === 2,
      })),
    ),
  );

export async function startCollector(port: number) {
  const spans: CollectedSpan[] = [];
  /** Names of metrics by process. */
  const metrics = new Map<string, Json[]>();
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    paths.push(request.url ?? '');
    spans.push(...spansOf(body));
    for (const { resource, scopeMetrics } of body.resourceMetrics ?? [])
      metrics.set(
        String(factsOf(resource.attributes)['gannet.role']),
        scopeMetrics.flatMap((scope: Json) => scope.metrics),
      );
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    spans,
    metrics,
    paths,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
