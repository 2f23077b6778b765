/**
 * A bare HTTP client for tests: one request, the whole answer, no automatic headers, no
 * decompression. Without an agent each request has a connection of its own: one that is kept may
 * have been closed by the server while the test did something else for long.
 */
import { type Agent, request as httpRequest } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The JSON value of the body, or undefined when it is none. */
  readonly json: unknown;
}

export interface HttpRequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly agent?: Agent;
  /** Sends the body without Content-Length. */
  readonly isChunked?: boolean;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const sendJson = (value: unknown): HttpRequestOptions => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export function httpCall(
  port: number,
  method: string,
  path: string,
  options: HttpRequestOptions = {},
): Promise<HttpAnswer> {
  const { headers = {}, body, agent = false, isChunked = false } = options;
  const length =
    body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, ...length },
        agent,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            text,
            json: parsed(text),
          });
        });
      },
    );
    request.on('error', reject);
    if (body !== undefined) request.write(body);
    request.end();
  });
}
