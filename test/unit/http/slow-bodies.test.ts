/** Connections that node:http ends because their request body comes too slowly. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SlowBodies } from '../../../src/http/slow-bodies.ts';
import { until } from '../../support/until.ts';

/** The timer never fires: tests call `look` themselves. */
const NEVER_MS = 2 ** 31 - 1;
/** More than a body must send between two looks. */
const ENOUGH = 200_000;

describe('a request body over node:http', () => {
  let slowBodies: SlowBodies;
  let server: Server;
  let client: Socket;
  let request: IncomingMessage | null;
  let isClosed: boolean;

  beforeEach(async () => {
    slowBodies = new SlowBodies(NEVER_MS);
    request = null;
    isClosed = false;
    server = createServer((received) => {
      request = received;
      slowBodies.watch(received);
      received.on('error', () => undefined);
      received.resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.on('close', () => {
      isClosed = true;
    });
    client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n');
    await until('the request has arrived', () => request !== null);
  });
  afterEach(async () => {
    slowBodies.close();
    client.destroy();
    server.close();
    await once(server, 'close');
  });

  const bytesRead = (): number => request?.socket.bytesRead ?? 0;
  async function send(bytes: number): Promise<void> {
    const before = bytesRead();
    client.write(Buffer.alloc(bytes));
    await until('the bytes have arrived', () => bytesRead() >= before + bytes);
  }

  it('that sends less than 160 KiB between two looks ends its connection', async () => {
    slowBodies.look();
    await send(1000);
    slowBodies.look();
    await until('the connection has ended', () => isClosed);
  });

  it('that sends enough goes on until it sends too little', async () => {
    slowBodies.look();
    for (let i = 0; i < 3; i++) {
      await send(ENOUGH);
      slowBodies.look();
      expect(request?.socket.destroyed).toBe(false);
    }
    slowBodies.look();
    await until('the connection has ended', () => isClosed);
  });

  it('that the server itself has paused is not judged', () => {
    request?.pause();
    for (let i = 0; i < 3; i++) slowBodies.look();
    expect(request?.socket.destroyed).toBe(false);
  });

  it('that has ended is no longer watched', async () => {
    await send(1_000_000);
    await until('the body has ended', () => request?.complete === true);
    for (let i = 0; i < 3; i++) slowBodies.look();
    expect(request?.socket.destroyed).toBe(false);
  });
});
