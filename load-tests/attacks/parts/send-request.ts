/** Sends the requests of attacks. The connection is closed when an attack aborts a request. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackAnswer, AttackRequest } from '../attack.ts';

const TEXT_BYTES_MAX = 1 << 20;
const TASK_POLL_MS = 50;

const bytesOf = (body: unknown): string | Buffer | undefined => {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
};

function codeOf(text: string): string {
  try {
    const { code } = JSON.parse(text) as { readonly code?: unknown };
    return typeof code === 'string' ? code : '';
  } catch {
    return '';
  }
}

/** One key for the requests that name none. */
export class RequestSender {
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #port: number;
  readonly #key: string;

  constructor(port: number, key: string) {
    this.#port = port;
    this.#key = key;
  }

  /** Never rejects: a new connection that ends early gives status 0. */
  send(request: AttackRequest): Promise<AttackAnswer> {
    const { path, headers = {}, key = this.#key, signal } = request;
    const body = bytesOf(request.body);
    const { method = body === undefined ? 'GET' : 'POST' } = request;
    const startMs = performance.now();
    return new Promise((done) => {
      const sent = http.request({
        agent: this.#agent,
        host: '127.0.0.1',
        port: this.#port,
        path,
        method,
        headers: {
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          }),
          ...headers,
        },
        ...(signal !== undefined && { signal }),
      });
      const end = (status: number, answer: http.IncomingHttpHeaders, text = '', bytes = 0): void =>
        done({
          status,
          code: status < 400 ? '' : codeOf(text),
          headers: answer,
          bytes,
          text,
          ms: performance.now() - startMs,
        });
      sent.on('response', (answer) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (part: Buffer) => {
          if (bytes < TEXT_BYTES_MAX) parts.push(part.subarray(0, TEXT_BYTES_MAX - bytes));
          bytes += part.length;
        });
        answer.on('error', () => end(0, {}));
        answer.on('end', () =>
          end(answer.statusCode ?? 0, answer.headers, Buffer.concat(parts).toString(), bytes),
        );
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server closes idle connections; this one may have closed while the request was made.
        const hasClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
        if (sent.reusedSocket && hasClosed) done(this.send(request));
        else end(0, {});
      });
      sent.end(body);
    });
  }

  /** The ended task of a write, as JSON. @param key that reads tasks */
  async settle(write: AttackRequest, key: string): Promise<string> {
    const answer = await this.send(write);
    const { taskUid } = JSON.parse(answer.text) as { readonly taskUid: number };
    for (; ; await sleep(TASK_POLL_MS)) {
      const { text } = await this.send({ path: `/tasks/${taskUid}`, key });
      if (!/"status":"(enqueued|processing)"/.test(text)) return text;
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
