/** Heads of 1 MB. */
import { connect } from 'node:net';
import type { Attack } from './attack.ts';
import { MEBIBYTE } from './parts/run-attack.ts';

const PATIENCE_MS = 10_000;

/** The first bytes that the server answers; empty when it closes the connection. */
const answerTo = (port: number, head: string): Promise<string> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: string): void => {
      socket.destroy();
      done(answer);
    };
    socket.once('data', (bytes) => end(bytes.toString('latin1').slice(0, 40)));
    socket.once('close', () => end(''));
    socket.on('error', () => end(''));
    socket.setTimeout(PATIENCE_MS, () => end('nothing, and is still open'));
    socket.write(head);
  });

export const attack: Attack = {
  name: 'long heads',
  sends: 'heads of 1 MB, one after the other',
  short: true,
  async run({ port, isShort }) {
    const head = `GET /health HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(MEBIBYTE)}\r\n\r\n`;
    const wrong = new Set<string>();
    for (let i = 0; i < (isShort ? 10 : 1000); i++) {
      const answer = await answerTo(port, head);
      if (!/^$|^HTTP\/1\.1 4\d\d/.test(answer)) wrong.add(answer);
    }
    return [...wrong].map((answer) => `a head of 1 MB was answered: ${answer}`);
  },
};
