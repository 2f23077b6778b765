/** A proxy that leaves requests without an answer on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly path: string;
  readonly body: string;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export class StallingProxy {
  /** Requests that came, in their order. */
  readonly seen: SeenRequest[] = [];
  /** Which of them are not answered. */
  stalls: (request: SeenRequest) => boolean = () => false;
  readonly #target: string;
  readonly #server = createServer((request, response) => void this.#pass(request, response));

  private constructor(target: string) {
    this.#target = target;
  }

  static async start(target: string): Promise<StallingProxy> {
    const proxy = new StallingProxy(target);
    await new Promise<void>((done) => proxy.#server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const { authorization = '', 'content-type': type = '' } = headers;
    const body = await bodyOf(request);
    this.seen.push({ path, body });
    if (this.stalls({ path, body })) return;
    const answer = await fetch(this.#target + path, {
      method,
      headers: {
        authorization,
        ...(body !== '' && { 'content-type': type }),
      },
      ...(body !== '' && { body }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  }
}
