/**
 * npm run bench:embedding -- [--documents 15000] [--kills 20] [--per-minute 2000]
 *   [--victim all|supervisor|indexer] [--idempotent]
 *
 * A provider of embeddings with a quota (429, half of them with `retry-after`; 1 % errors) on a
 * real socket, one text a request, and a server whose processes, or one of them, are killed (kill -9)
 * again and again, at any moment, while it embeds one task of documents. With `--idempotent` the provider
 * honours `Idempotency-Key`: what it has answered once it answers again for nothing. Prints what was paid for twice: what
 * was answered to a server that was dead by then, what was on its way to the disk, with how long before
 * the kill it was answered, and what had arrived and was lost nevertheless, which must be none; and how
 * long documents of another index, written one after the other all the while, waited.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from './bench/server.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '15000' },
    kills: { type: 'string', default: '20' },
    'per-minute': { type: 'string', default: '2000' },
    victim: { type: 'string', default: 'all' },
    idempotent: { type: 'boolean', default: false },
  },
});
const [documents, kills] = [Number(options.documents), Number(options.kills)];
const MAIN = resolve(import.meta.dirname, '../src/main.js');
const DIMENSIONS = 384;
const ANSWER_MS = 20;
/** The quota is given out in parts, as providers do. */
const WINDOW_MS = 6000;
const windowMax = (Number(options['per-minute']) * WINDOW_MS) / 60_000;
/** An answer takes less from the provider to the disk, on a busy machine, too. */
const ON_ITS_WAY_MS = 500;
/** Longest delay of a kill, so that it comes at any moment between two answers. */
const KILL_DELAY_MS_MAX = 100;

interface Answered {
  readonly atMs: number;
  /** Number of the server that asked, which was killed as that number in `killedMs`. */
  readonly server: number;
}

/** When each text was answered, first and last. */
const paid = new Map<string, Answered[]>();
const killedMs: number[] = [];
/** By connection: number of the server that made it. */
const serverOf = new WeakMap<Socket, number>();
/** Servers whose connections have all been accepted. */
let goneServers = 0;
const answeredKeys = new Set<string>();
const counts = { requests: 0, refused: 0, failed: 0 };
let window = { number: -1, used: 0 };

function withinQuota(): boolean {
  const number = Math.floor(performance.now() / WINDOW_MS);
  if (number !== window.number) window = { number, used: 0 };
  window.used += 1;
  return window.used <= windowMax;
}

const provider = createServer(async (request, response) => {
  if (request.method === 'GET') return void response.end();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const key = options.idempotent ? request.headers['idempotency-key'] : undefined;
  const { text } = JSON.parse(Buffer.concat(chunks).toString()) as { text: string };
  counts.requests += 1;
  if (!withinQuota()) {
    counts.refused += 1;
    const headers = counts.refused % 2 === 0 ? { 'retry-after': '2' } : {};
    return void response.writeHead(429, headers).end();
  }
  if (counts.requests % 100 === 0) {
    counts.failed += 1;
    return void response.writeHead(500).end();
  }
  await sleep(ANSWER_MS);
  const server = serverOf.get(request.socket) ?? 0;
  if (typeof key !== 'string' || !answeredKeys.has(key))
    paid.set(text, [...(paid.get(text) ?? []), { atMs: performance.now(), server }]);
  if (typeof key === 'string') answeredKeys.add(key);
  const vector = Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(text.length + i));
  response.end(JSON.stringify({ vector }));
});
provider.on('connection', (socket) => serverOf.set(socket, goneServers));
await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
const providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

const dataFolder = mkdtempSync(join(tmpdir(), 'gannet-embedding-'));
const port = await freePort();

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

async function start(): Promise<ChildProcess> {
  const address = ['--db-path', dataFolder, '--http-addr', `127.0.0.1:${port}`];
  const networks = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
  const flags = [MAIN, ...address, ...networks, '--log-level', 'WARN', '--no-warm-up'];
  const child = spawn(process.execPath, flags, { stdio: 'ignore', detached: true });
  for (;;) {
    const health = await call('GET', '/health').catch(() => null);
    if (health !== null) return child;
    await sleep(50);
  }
}

/** Processes that die with a kill: the supervisor's group, itself, or its indexer. */
function victims({ pid = 0 }: ChildProcess): readonly number[] {
  if (options.victim === 'all') return [-pid];
  if (options.victim === 'supervisor') return [pid];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children
    .map(Number)
    .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('indexer'));
}

/** Resolves with the server that goes on, or another one. */
async function kill(child: ChildProcess): Promise<ChildProcess> {
  const ended = new Promise((done) => child.once('exit', done));
  killedMs.push(performance.now());
  for (const pid of victims(child)) process.kill(pid, 'SIGKILL');
  if (options.victim !== 'indexer') await ended;
  // Connections are accepted in their order: those of the dead before this one.
  await (await fetch(providerUrl, { headers: { connection: 'close' } })).text();
  goneServers += 1;
  return options.victim === 'indexer' ? child : start();
}

interface Task {
  readonly status: string;
  readonly error: unknown;
}

/** Outlives kills; while the indexer is away a task has no status. */
async function settled(uid: number): Promise<Task> {
  for (;;) {
    const task = (await call('GET', `/tasks/${uid}`).catch(() => ({}))) as Partial<Task>;
    const { status, error } = task;
    const isUnderWay = status === undefined || ['enqueued', 'processing'].includes(status);
    if (!isUnderWay) return { status, error };
    await sleep(100);
  }
}

const startedMs = performance.now();
let server = await start();
const e = {
  source: 'rest',
  url: providerUrl,
  dimensions: DIMENSIONS,
  request: { text: '{{text}}' },
  response: { vector: '{{embedding}}' },
  documentTemplate: '{{doc.title}}',
};
const declared = (await call('PATCH', '/indexes/films/settings', { embedders: { e } })) as {
  taskUid: number;
};
await settled(declared.taskUid);
const films = Array.from({ length: documents }, (_, id) => ({ id, title: `title ${id}` }));
const { taskUid } = (await call('POST', '/indexes/films/documents', films)) as { taskUid: number };

/** Of each document of another index, until its task was done. */
const waitedMs: number[] = [];
let isOver = false;
async function writeOthers(): Promise<void> {
  for (let id = 0; !isOver; id++) {
    const beginMs = performance.now();
    const kills = killedMs.length;
    // What a kill has cut off says nothing of who waits for whom.
    const written = call('POST', '/indexes/others/documents', { id }) as Promise<{
      taskUid: number;
    }>;
    const task = await written.then((sent) => settled(sent.taskUid)).catch(() => null);
    if (task !== null && kills === killedMs.length) waitedMs.push(performance.now() - beginMs);
    await sleep(500);
  }
}

const written = settled(taskUid).finally(() => {
  isOver = true;
});
const others = writeOthers();
for (let number = 1; number <= kills; number++) {
  const share = (number / (kills + 1)) * documents;
  while (paid.size < share && !isOver) await sleep(20);
  if (isOver) break;
  await sleep(Math.random() * KILL_DELAY_MS_MAX);
  server = await kill(server);
}
const task = await written;
await others;
waitedMs.sort((a, b) => a - b);
const stats = (await call('GET', '/indexes/films/stats')) as { numberOfEmbeddings: number };
const seconds = Math.round((performance.now() - startedMs) / 1000);
const twice = [...paid.values()].filter(({ length }) => length > 1);
/** Milliseconds from each lost answer to the kill of the server that it was for, ascending. */
const lostMs = twice
  .flatMap((answers) => answers.slice(0, -1))
  .map(({ server: asking, atMs }) => (killedMs[asking] ?? Number.POSITIVE_INFINITY) - atMs)
  .sort((a, b) => a - b);
const onTheirWay = lostMs.filter((ms) => ms > 0 && ms < ON_ITS_WAY_MS);
const arrived = lostMs.filter((ms) => ms >= ON_ITS_WAY_MS).length;
process.stdout.write(
  `${JSON.stringify(
    {
      documents,
      kills: killedMs.length,
      victim: options.victim,
      idempotent: options.idempotent,
      seconds,
      ...counts,
      task: task.status,
      error: task.error,
      numberOfEmbeddings: stats.numberOfEmbeddings,
      textsPaid: paid.size,
      othersWritten: waitedMs.length,
      othersWaitedMs: [0.5, 0.9, 1].map((share) =>
        Math.round(waitedMs[Math.ceil(waitedMs.length * share) - 1] ?? 0),
      ),
      paidTwice: twice.length,
      answeredToTheDead: lostMs.filter((ms) => ms <= 0).length,
      onTheirWay: onTheirWay.length,
      onTheirWayMs: onTheirWay.map((ms) => Math.round(ms)),
      paidTwiceThoughArrived: arrived,
    },
    null,
    2,
  )}\n`,
);
process.kill(-(server.pid ?? 0), 'SIGKILL');
provider.close();
provider.closeAllConnections();
rmSync(dataFolder, { recursive: true, force: true });
process.exit(task.status === 'succeeded' && arrived === 0 ? 0 : 1);
