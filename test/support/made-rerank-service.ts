/**
 * A service that ranks texts, on a real socket, made for tests: a text counts as much as it is long,
 * unless the script answers.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * JSON of requests and answers: `results` as Cohere and Jina, `data` as Voyage, `scores` as a service
 * that gives one number for each passage, in order.
 */
type MadeShape = 'results' | 'data' | 'scores';

interface RerankRequest {
  readonly model?: string;
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

function byLength({ documents }: RerankRequest, shape: MadeShape): object {
  const scores = documents.map(({ length }) => length / 1e6);
  if (shape === 'scores') return { scores };
  const results = scores
    .map((relevance_score, index) => ({ index, relevance_score }))
    .sort((a, b) => b.relevance_score - a.relevance_score);
  return { [shape]: results };
}

interface Passages {
  readonly question: string;
  readonly passages: readonly { readonly body: string }[];
}

function readRequest(json: unknown, shape: MadeShape): RerankRequest {
  if (shape !== 'scores') return json as RerankRequest;
  const { question, passages } = json as Passages;
  return { query: question, documents: passages.map(({ body }) => body) };
}

export async function makeRerankService(shape: MadeShape = 'results'): Promise<MadeRerankService> {
  const requests: RerankRequest[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = readRequest(JSON.parse(Buffer.concat(chunks).toString()), shape);
    requests.push(asked);
    headers.push(request.headers);
    const { status = 200, body = byLength(asked, shape), hangs } = service.script ?? {};
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
