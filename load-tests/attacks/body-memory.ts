/** Large bodies that fill the memory for request bodies and are never completed. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Attack } from './attack.ts';
import { MEBIBYTE } from './parts/run-attack.ts';

const PATH = '/indexes/texts/search';
const ANNOUNCED_BYTES = 10 * MEBIBYTE;

/** Announces a body of 10 MiB and sends its beginning. */
function announce(port: number, key: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  const head = [
    `POST ${PATH} HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${ANNOUNCED_BYTES}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"q":"`);
  return socket;
}

export const attack: Attack = {
  name: 'memory of request bodies',
  sends: 'bodies of 10 MiB that are announced and never completed, then whole and compressed ones',
  short: true,
  serverOptions: ['--http-body-memory', '32MiB'],
  async run({ port, key, send, isShort }) {
    const broken: string[] = [];
    const body = JSON.stringify({ q: 'x'.repeat(9 * MEBIBYTE) });
    const gzip = { 'content-encoding': 'gzip' };
    for (let round = 0; round < (isShort ? 1 : 20); round++) {
      const sockets = Array.from({ length: 20 }, () => announce(port, key));
      await sleep(500);
      const large = await send({ path: PATH, body });
      const compressed = await send({ path: PATH, body: gzipSync(body), headers: gzip });
      for (const { status, code, headers } of [large, compressed])
        if (status !== 503 || code !== 'payload_memory_exhausted' || !headers['retry-after'])
          broken.push(`a body over the budget was answered ${status} ${code}`);
      const small = await send({ path: PATH, body: { q: 'word' } });
      if (small.status !== 200) broken.push(`a small search was answered ${small.status}`);
      for (const socket of sockets) socket.destroy();
    }
    const tooLarge = await send({ path: PATH, body: Buffer.alloc(ANNOUNCED_BYTES + 1, ' ') });
    if (tooLarge.status !== 413) broken.push(`more than 10 MiB was answered ${tooLarge.status}`);
    return broken;
  },
};
