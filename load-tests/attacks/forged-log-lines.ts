/** Control characters in a URL and a name, which readable logs show as escapes. */
import { request } from 'node:http';
import type { Attack } from './attack.ts';

const FORGED = '\n2026-01-01T00:00:00.000Z INFO  front: forged\u001b[2J\u202e';
const PATIENCE_MS = 10_000;

export const attack: Attack = {
  name: 'forged log lines',
  sends: 'index names and searches with line feeds, escape sequences and marks of direction',
  short: true,
  serverOptions: ['--slow-search-ms', '1', '--experimental-enable-logs-route'],
  async run({ port, masterKey, send }) {
    let log = '';
    const stream = request({
      host: '127.0.0.1',
      port,
      path: '/logs/stream',
      method: 'POST',
      headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
    });
    const isLogged = new Promise<void>((done, fail) => {
      setTimeout(() => fail(new Error(`the log lacks the request: ${log}`)), PATIENCE_MS).unref();
      stream.on('error', () => undefined);
      stream.on('response', (answer) => {
        answer.on('error', () => undefined);
        answer.on('data', (bytes: Buffer) => {
          log += bytes.toString();
          if (log.includes('forged')) done();
        });
        void send({ path: `/indexes/${encodeURIComponent(FORGED)}`, key: masterKey });
        void send({ path: '/indexes/texts/search', body: { q: `word ${FORGED}` } });
      });
    });
    stream.end(JSON.stringify({ target: 'debug', mode: 'human' }));
    try {
      await isLogged;
    } finally {
      stream.destroy();
    }
    const lines = log.split('\n');
    const forged = lines.filter((line) => line.startsWith('2026-01-01T00:00:00.000Z'));
    const raw = lines.filter((line) => /[\p{Cc}\u202e]/u.test(line));
    return [
      ...forged.map((line) => `a request forged the line ${line}`),
      ...raw.map((line) => `control characters came through in ${JSON.stringify(line)}`),
    ];
  },
};
