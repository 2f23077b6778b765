/**
 * A service that ranks texts, on a real socket, made for tests: a text counts as much as it is long,
 * unless the script answers.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface RerankRequest {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly string[];
}

export interface MadeRerankAnswer {
  readonly status?: number;
  readonly body?: unknown;
  /** Never answers. */
  readonly hangs?: true;
}

export interface MadeRerankService {
  readonly url: string;
  readonly requests: readonly RerankRequest[];
  readonly headers: readonly IncomingMessage['headers'][];
  /** Answers from now on; null = by length. */
  script: MadeRerankAnswer | null;
  close(): void;
}

const byLength = ({ documents }: RerankRequest) => ({
  results: documents
    .map(({ length }, index) => ({ index, relevance_score: length / 1e6 }))
    .sort((a, b) => b.relevance_score - a.relevance_score),
});

export async function makeRerankService(): Promise<MadeRerankService> {
  const requests: RerankRequest[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as RerankRequest;
    requests.push(asked);
    headers.push(request.headers);
    const { status = 200, body = byLength(asked), hangs } = service.script ?? {};
    if (hangs) return;
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const service: MadeRerankService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/rerank`,
    requests,
    headers,
    script: null,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}
