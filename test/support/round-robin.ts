/**
 * A small load balancer like config/containers/haproxy.cfg: sends each request to the next front in
 * turn, and to another one if the connection is refused or a search gets no answer.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

interface PassedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

const isRepeatable = ({ method, url }: PassedRequest): boolean =>
  method === 'GET' || url.endsWith('/search');

export class RoundRobin {
  readonly #ports: readonly number[];
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #server: http.Server;
  #next = 0;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = http.createServer((request, response) => {
      // What a client says of its connection does not hold for those to the fronts.
      const { connection: _, ...headers } = request.headers;
      const { method = 'GET', url = '/' } = request;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        this.#pass({ method, url, headers, body }, response, this.#next++, 1);
      });
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #pass(passed: PassedRequest, response: http.ServerResponse, turn: number, attempt: number): void {
    const port = this.#ports[turn % this.#ports.length];
    const { method, url: path, headers, body } = passed;
    const agent = this.#agent;
    const sent = http.request({ host: '127.0.0.1', port, method, path, headers, agent });
    sent.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.once('error', () => response.destroy());
      answer.pipe(response);
    });
    sent.once('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) return void response.destroy();
      const mayRepeat = error.code === 'ECONNREFUSED' || isRepeatable(passed);
      if (mayRepeat && attempt < this.#ports.length)
        this.#pass(passed, response, turn + 1, attempt + 1);
      else response.writeHead(502).end(error.message);
    });
    sent.end(body);
  }
}
