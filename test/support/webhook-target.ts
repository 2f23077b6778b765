/** A webhook target on a real socket: answers as scripted and records deliveries. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { TaskRecord } from '../../src/model/task.ts';

export interface Delivery {
  readonly headers: IncomingMessage['headers'];
  /** As it came. */
  readonly body: Buffer;
  readonly records: readonly TaskRecord[];
  readonly batchUid: number;
}

/** 'reset' = the connection is cut, 'hang' = there is no answer. */
export type TargetAnswer =
  | number
  | 'reset'
  | 'hang'
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> };

export interface WebhookTarget {
  readonly url: string;
  readonly port: number;
  /** Those that were answered with 2xx, in order. */
  readonly taken: readonly Delivery[];
  /** All requests, in order. */
  readonly asked: readonly Delivery[];
  /** Slowly, where it is a promise. */
  answer: (delivery: Delivery, requestAt: number) => TargetAnswer | Promise<TargetAnswer>;
  close(): Promise<void>;
}

export async function webhookTarget(port = 0): Promise<WebhookTarget> {
  const taken: Delivery[] = [];
  const asked: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const delivery = readDelivery(request, Buffer.concat(chunks));
    asked.push(delivery);
    respond(await target.answer(delivery, asked.length - 1), delivery, response);
  });
  const respond = (made: TargetAnswer, delivery: Delivery, response: ServerResponse): void => {
    if (made === 'hang') return;
    if (made === 'reset') return void response.socket?.resetAndDestroy();
    const { status, headers } = typeof made === 'number' ? { status: made, headers: {} } : made;
    if (status < 300) taken.push(delivery);
    response.writeHead(status, headers).end('thanks');
  };
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const at = (server.address() as AddressInfo).port;
  const target: WebhookTarget = {
    url: `http://127.0.0.1:${at}/hook`,
    port: at,
    taken,
    asked,
    answer: () => 204,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return target;
}

function readDelivery(request: IncomingMessage, body: Buffer): Delivery {
  const lines = gunzipSync(body).toString().trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as TaskRecord);
  return { headers: request.headers, body, records, batchUid: records[0]?.batchUid ?? -1 };
}
