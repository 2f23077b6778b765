/**
 * Attacks on a real server, one after the other, each with what another client sees meanwhile and
 * how long after its end the server is as quick as before:
 * slow-loris, compression bombs, oversized heads, ten times as many searches as it can answer, and
 * one key that floods.
 * `node dist/load-tests/attacks/overload.js [--seconds 10] [--connections 2000]`
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  MASTER_KEY,
  madeSearch,
  newKey,
  SEARCH_PATH,
  startKeyedTexts,
} from '../bench/keyed-texts.ts';
import { percentile } from '../bench/statistics.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '2000' },
  },
});
const SECONDS = Number(values.seconds);
const CONNECTIONS = Number(values.connections);
const PROBE_PAUSE_MS = 20;
const RECOVERY_MS_MAX = 30_000;
const MEBIBYTE = 1 << 20;

const server = await startKeyedTexts(['--query-threads', '2']);
const { port } = new URL(server.url);

interface Answer {
  readonly status: number;
  readonly ms: number;
}

function post(
  path: string,
  body: Buffer,
  key: string,
  agent: Agent,
  headers = {},
): Promise<Answer> {
  const startMs = performance.now();
  return new Promise((done, fail) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        answer.resume();
        answer.once('end', () =>
          done({ status: answer.statusCode ?? 0, ms: performance.now() - startMs }),
        );
      },
    );
    sent.once('error', fail);
    sent.end(body);
  });
}

const search = (): Buffer => Buffer.from(madeSearch());

interface Seen {
  readonly count: number;
  readonly refused: number;
  readonly p50: number;
  readonly p99: number;
}

/** What one calm client sees until it is told to stop. */
async function probe(key: string, until: () => boolean): Promise<Seen> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  let refused = 0;
  while (!until()) {
    try {
      const { status, ms } = await post(SEARCH_PATH, search(), key, agent);
      if (status === 200) times.push(ms);
      else refused += 1;
    } catch {
      refused += 1;
    }
    await sleep(PROBE_PAUSE_MS);
  }
  agent.destroy();
  return {
    count: times.length,
    refused,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

/** Until five searches in a row take no longer than `usualMs` at its double. */
async function recoveryMs(key: string, usualMs: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const startMs = performance.now();
  let good = 0;
  while (good < 5 && performance.now() - startMs < RECOVERY_MS_MAX) {
    const { status, ms } = await post(SEARCH_PATH, search(), key, agent);
    good = status === 200 && ms <= 2 * usualMs ? good + 1 : 0;
  }
  agent.destroy();
  return performance.now() - startMs;
}

type Attack = (until: () => boolean) => Promise<string>;

/** Connections that send a header each second and never end. */
const slowLoris: Attack = async (until) => {
  const sockets: Socket[] = [];
  let lost = 0;
  for (let i = 0; i < CONNECTIONS; i++) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => lost++);
    socket.write('POST /indexes/texts/search HTTP/1.1\r\nHost: a\r\n');
    sockets.push(socket);
    if (i % 100 === 0) await sleep(5);
  }
  while (!until()) {
    for (const socket of sockets) if (socket.writable) socket.write('X-a: b\r\n');
    await sleep(1000);
  }
  for (const socket of sockets) socket.destroy();
  return `${CONNECTIONS} connections, ${lost} refused`;
};

const bomb = gzipSync(Buffer.alloc(1024 * MEBIBYTE, 0x20), { level: 9 });

/** 1 MB that becomes 1 GB. */
const bombs: Attack = async (until) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const statuses = new Map<number, number>();
  const lane = async () => {
    while (!until()) {
      const path = '/indexes/texts/documents';
      const { status } = await post(path, bomb, MASTER_KEY, agent, {
        'content-encoding': 'gzip',
      }).catch(() => ({ status: 0 }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  agent.destroy();
  return `of ${bomb.length} bytes, answers ${[...statuses].map(([s, n]) => `${n}x ${s}`).join(', ')}`;
};

/** Heads of 1 MB. */
const longHeads: Attack = async (until) => {
  let sent = 0;
  let answered = 0;
  while (!until()) {
    await new Promise<void>((done) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('data', () => answered++);
      socket.on('error', () => undefined);
      socket.once('close', () => done());
      socket.write(`GET /health HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(MEBIBYTE)}\r\n\r\n`);
      setTimeout(() => socket.destroy(), 1000);
      sent++;
    });
  }
  return `${sent} sent, ${answered} times an answer`;
};

/** Searches over many connections at once, by a key. */
const flood =
  (key: string, connections: number): Attack =>
  async (until) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const statuses = new Map<number, number>();
    const lane = async () => {
      while (!until()) {
        const { status } = await post(SEARCH_PATH, search(), key, agent).catch(() => ({
          status: 0,
        }));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: connections }, lane));
    agent.destroy();
    return `${connections} at once, answers ${[...statuses].map(([s, n]) => `${n}x ${s}`).join(', ')}`;
  };

try {
  const [calm, loud] = [await newKey(server), await newKey(server)];
  const forSeconds = (seconds: number) => {
    const endMs = performance.now() + seconds * 1000;
    return () => performance.now() >= endMs;
  };
  await probe(calm, forSeconds(3));
  const idle = await probe(calm, forSeconds(5));
  const ms = (value: number) => value.toFixed(1);
  const rows = [`| nothing | | ${ms(idle.p50)} | ${ms(idle.p99)} | ${idle.refused} | | |`];
  const attacks: readonly (readonly [string, Attack])[] = [
    ['slow-loris', slowLoris],
    ['compression bombs', bombs],
    ['heads of 1 MB', longHeads],
    ['overload by the same key', flood(calm, 200)],
    ['flood of another key', flood(loud, 200)],
  ];
  for (const [name, attack] of attacks) {
    const until = forSeconds(SECONDS);
    const [told, seen] = await Promise.all([attack(until), probe(calm, until)]);
    const recovered = await recoveryMs(calm, Math.max(idle.p99, 5));
    const { nowBytes } = server.memory();
    rows.push(
      `| ${name} | ${told} | ${ms(seen.p50)} | ${ms(seen.p99)} | ${seen.refused} | ${ms(recovered)} | ${Math.round(nowBytes / MEBIBYTE)} |`,
    );
  }
  process.stdout.write(
    `${['| attack | what came of it | p50 ms | p99 ms | refused | recovery ms | memory MB |', '|---|---|---|---|---|---|---|', ...rows].join('\n')}\n`,
  );
} finally {
  await server.stop();
}
