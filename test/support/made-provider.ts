/**
 * A provider of embeddings on a real socket, made for tests: answers as scripted, keeps a quota,
 * counts what it was paid for.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AddressPolicy } from '../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../src/http-client/outgoing-http.ts';

export interface MadeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes as they are, all else as JSON. */
  readonly body?: unknown;
  /** Closes the connection after half of the body. */
  readonly breaks?: true;
  /** Sends byte after byte, without end in sight. */
  readonly drips?: true;
  /** Never answers. */
  readonly hangs?: true;
}

/** undefined = the request is answered with vectors. */
export type MadeScript = (
  texts: readonly string[],
  requestAt: number,
) => MadeAnswer | undefined | Promise<MadeAnswer | undefined>;

export interface MadeProvider {
  readonly url: string;
  readonly send: OutgoingHttp['send'];
  /** Inputs of every request in order, refused ones too. */
  readonly requests: readonly (readonly string[])[];
  readonly headers: readonly IncomingMessage['headers'][];
  /** How often each text was answered with a vector. */
  readonly paid: ReadonlyMap<string, number>;
  close(): void;
}

/** Length, and the code of the first letter: tells texts apart. */
export const madeVector = (text: string): number[] => [text.length, text.codePointAt(0) ?? 0];

/** Bodies are `{"input": [texts]}`, answers `{"data": [{"embedding": vector}]}`. */
export async function makeProvider(script: MadeScript = () => undefined): Promise<MadeProvider> {
  const requests: string[][] = [];
  const headers: IncomingMessage['headers'][] = [];
  const paid = new Map<string, number>();
  const answerOf = async (texts: readonly string[]): Promise<MadeAnswer> => {
    const made = await script(texts, requests.length - 1);
    if (made !== undefined) return made;
    for (const text of texts) paid.set(text, (paid.get(text) ?? 0) + 1);
    return { body: { data: texts.map((text) => ({ embedding: madeVector(text) })) } };
  };
  const server = createServer(async (request, response) => {
    // Another test's client may still call the server that had this port before.
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
    requests.push(input);
    headers.push(request.headers);
    await respond(await answerOf(input), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = new OutgoingHttp(new AddressPolicy(['127.0.0.1']));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/embed`,
    send: http.send,
    requests,
    headers,
    paid,
    close: () => {
      http.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function respond(made: MadeAnswer, response: ServerResponse): Promise<void> {
  if (made.hangs) return;
  const { body } = made;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const bytes = Buffer.from(isRaw ? body : JSON.stringify(body ?? {}));
  response.writeHead(made.status ?? 200, {
    ...made.headers,
    'content-length': String(bytes.length),
  });
  if (made.drips) return void drip(bytes, response);
  if (!made.breaks) return void response.end(bytes);
  response.write(bytes.subarray(0, bytes.length >> 1));
  await sleep(5);
  response.destroy();
}

/** All but the last byte, one every millisecond. */
async function drip(bytes: Buffer, response: ServerResponse): Promise<void> {
  for (let at = 0; at < bytes.length - 1 && !response.destroyed; at += 1) {
    response.write(bytes.subarray(at, at + 1));
    await sleep(1);
  }
}

/** A quota of requests in a window of fixed length; null = the request is within. */
export function madeQuota(
  requestsMax: number,
  windowMs: number,
  now: () => number,
): () => number | null {
  let window = -1;
  let used = 0;
  return () => {
    const current = Math.floor(now() / windowMs);
    if (current !== window) {
      window = current;
      used = 0;
    }
    used += 1;
    return used <= requestsMax ? null : (current + 1) * windowMs - now();
  };
}
