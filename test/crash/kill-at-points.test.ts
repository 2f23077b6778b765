/**
 * kill -9 at named points of writes, backups, webhooks, merges, vector changes and branches:
 * acknowledged writes happen exactly once, no reader sees part of a batch, no incomplete file looks
 * like a backup, vector search agrees with exact search, and a branch has its settings.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch, Task } from 'meilisearch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { filesOf } from '../support/imported-folder.ts';
import { KilledServer, type KillPoint, stopKilledServers } from '../support/killed-server.ts';
import { isLongRun } from '../support/run-length.ts';
import { checkIndex, cleanUp, freshFolder } from '../support/test-server.ts';
import { until } from '../support/until.ts';
import { type WebhookTarget, webhookTarget } from '../support/webhook-target.ts';

const DOCUMENTS = 40;
/** More than a task record may hold, so that the payload is a file. */
const TEXT = 'as long as it takes '.repeat(100);
/** Between two looks at the documents. */
const LOOKS_MS = 20;

/** Documents of a small segment: the vectors of a few such are clustered when they are merged. */
const PART = 300;
const DIMENSIONS = 8;
const EMBEDDERS = { own: { source: 'userProvided', dimensions: DIMENSIONS } } as const;

/** What is done until the process dies there. */
type Deed = 'write' | 'append' | 'quantize' | 'branch' | 'dump' | 'snapshot';

const at = (
  call: KillPoint['call'],
  moment: KillPoint['moment'],
  subject: string,
  via?: string,
): KillPoint => ({ call, moment, subject, ...(via !== undefined && { via }) });

const bothSides = (name: string, deed: Deed, call: KillPoint['call'], subject: string) =>
  (['before', 'after'] as const).map(
    (moment) => [`${moment} ${name}`, deed, at(call, moment, subject)] as const,
  );

const POINTS: readonly (readonly [string, Deed, KillPoint])[] = [
  ...bothSides('the payload is synced', 'write', 'sync', '\\.payload$'),
  ...bothSides('the task is written', 'write', 'write', '^rocksdb row task$'),
  ['after the task is synced', 'write', at('sync', 'after', '\\.log$')],
  ...bothSides('the attempt is noted', 'write', 'write', '^rocksdb meta$'),
  ...bothSides('a segment is synced', 'write', 'sync', '\\.seg\\.tmp$'),
  ...bothSides('a segment has its name', 'write', 'name', '\\.seg$'),
  ...bothSides('the batch is committed', 'write', 'write', '^rocksdb .*\\bbatch\\b'),
  ...bothSides('the new state is published', 'write', 'send', 'indexPublished'),
  ['while documents are dumped', 'dump', at('open', 'after', '\\.dump\\.part$')],
  ...bothSides('a dump has its name', 'dump', 'name', '\\.dump$'),
  ['while a snapshot copies the database', 'snapshot', at('write', 'after', '\\.rocksdb ')],
  ['before the last snapshot is kept', 'snapshot', at('name', 'before', '\\d\\.snapshot$')],
  ...bothSides('a snapshot has its name', 'snapshot', 'name', '[a-z]\\.snapshot$'),
  ...bothSides('a delivery is noted', 'write', 'write', 'attempt.*outboxPlace'),
  ['before a delivery is sent', 'write', at('send', 'before', '^POST /hook')],
  ['while a merge writes', 'append', at('sync', 'before', '\\.seg\\.tmp$', 'merge')],
  ['after a merge has its file', 'append', at('name', 'after', '\\.seg$', 'merge')],
  ['while a merge writes vectors', 'append', at('sync', 'before', '\\.vec\\.tmp$', 'merge')],
  ['after a merge has its vectors', 'append', at('name', 'after', '\\.vec$', 'merge')],
  ...bothSides('a merge is committed', 'append', 'write', '^rocksdb index$'),
  ['while vectors become bits', 'quantize', at('sync', 'before', '\\.vec\\.tmp$', 'refit')],
  ['after vectors have become bits', 'quantize', at('name', 'after', '\\.vec$', 'refit')],
  ['before bits are committed', 'quantize', at('write', 'before', '^rocksdb .*\\bbatch\\b')],
  ['while a branch is built', 'branch', at('sync', 'before', '\\.col\\.tmp$', 'refit')],
  ['after a branch is built', 'branch', at('name', 'after', '\\.col$', 'refit')],
  ...bothSides('a branch is committed', 'branch', 'write', '^rocksdb .*\\bbatch\\b'),
];

/** `npm test` kills at one point of each deed. */
const IN_NPM_TEST: readonly string[] = [
  'after the batch is committed',
  'before a dump has its name',
  'after a snapshot has its name',
  'while a merge writes vectors',
  'before bits are committed',
  'before a branch is committed',
];
const chosen = POINTS.filter(([name]) => isLongRun || IN_NPM_TEST.includes(name));

const vectorOf = (id: number): number[] =>
  Array.from({ length: DIMENSIONS }, (_, i) => Math.sin((id + 1) * (i + 2)));

/** Writes one number into all documents of an index, again and again, and keeps the books. */
class Books {
  readonly server: KilledServer;
  /** Number of the write → its task, where the answer came. */
  readonly acknowledged = new Map<number, number>();
  writes = 0;
  appended = 0;
  /** Those that were acknowledged. */
  readonly parts: number[] = [];
  /** Indexes whose vectors were to become bits. */
  quantized = 0;
  branches = 0;
  isOver = false;
  /** Highest number that was seen in the index. */
  seen = -1;

  constructor(server: KilledServer) {
    this.server = server;
  }

  /** Resolves with the task's uid, or null when the answer was lost. */
  async write(): Promise<number | null> {
    const number = this.writes++;
    const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, number, text: TEXT }));
    const uid = await this.#send(
      `/indexes/films/documents?customMetadata=${number}`,
      sendJson(documents),
    );
    if (uid !== null) this.acknowledged.set(number, uid);
    return uid;
  }

  /** A small segment more. */
  async append(): Promise<void> {
    const part = this.appended++;
    const documents = Array.from({ length: PART }, (_, n) => {
      const id = part * PART + n;
      return { id, part, _vectors: { own: vectorOf(id) } };
    });
    const uid = await this.#send('/indexes/parts/documents', sendJson(documents));
    if (uid === null) return;
    await this.server.client.tasks.waitForTask(uid).catch(() => null);
    this.parts.push(part);
  }

  /** An index whose vectors are floats. */
  async fillBits(): Promise<void> {
    const uid = `bits${++this.quantized}`;
    const { client } = this.server;
    await client.index(uid).updateEmbedders(EMBEDDERS).waitTask();
    const documents = Array.from({ length: PART }, (_, id) => ({
      id,
      _vectors: { own: vectorOf(id) },
    }));
    await client.index(uid).addDocuments(documents).waitTask();
  }

  async quantize(): Promise<void> {
    const own = { ...EMBEDDERS.own, binaryQuantized: true };
    const options = sendJson({ own });
    await this.server
      .call('PATCH', `/indexes/bits${this.quantized}/settings/embedders`, options)
      .catch(() => null);
  }

  async branch(): Promise<void> {
    const body = { uid: `branch${++this.branches}`, settings: { sortableAttributes: ['number'] } };
    await this.#send('/indexes/films/branches', sendJson(body));
  }

  async backup(kind: 'dump' | 'snapshot'): Promise<number | null> {
    return this.#send(`/${kind}s`, {});
  }

  async #send(path: string, options: Parameters<KilledServer['call']>[2]): Promise<number | null> {
    const answer = await this.server.call('POST', path, options).catch(() => null);
    if (answer === null || answer.status >= 500) return null;
    expect(answer.status, answer.text).toBe(202);
    return (answer.json as { taskUid: number }).taskUid;
  }

  /** A reader finds all documents of one write, and never those of an older write than before. */
  async watch(): Promise<void> {
    while (!this.isOver) {
      const answer = await this.server
        .call('GET', `/indexes/films/documents?fields=number&limit=${DOCUMENTS + 1}`)
        .catch(() => null);
      await new Promise((done) => setTimeout(done, LOOKS_MS));
      if (answer?.status !== 200) continue;
      const { results } = answer.json as { results: { number: number }[] };
      const numbers = new Set(results.map(({ number }) => number));
      expect([results.length, numbers.size], 'a part of a batch is visible').toEqual([
        DOCUMENTS,
        1,
      ]);
      const [number = -1] = numbers;
      expect(number, 'an older state came back').toBeGreaterThanOrEqual(this.seen);
      this.seen = number;
    }
  }
}

async function allTasks({ client }: KilledServer): Promise<Task[]> {
  return (await client.tasks.getTasks({ limit: 1000, reverse: true })).results;
}

const deeds: Readonly<Record<Deed, (books: Books) => Promise<unknown>>> = {
  write: (books) => books.write(),
  append: (books) => books.append(),
  quantize: (books) => books.quantize(),
  branch: (books) => books.branch(),
  dump: (books) => books.backup('dump'),
  snapshot: (books) => books.backup('snapshot'),
};

const folders = { dump: freshFolder(), snapshot: freshFolder() };
let server: KilledServer;
let hook: WebhookTarget;
let books: Books;
let watching: Promise<void>;

beforeAll(async () => {
  hook = await webhookTarget();
  server = await KilledServer.start({
    flags: [
      ...['--dump-dir', folders.dump, '--snapshot-dir', folders.snapshot, '--snapshot-keep', '2'],
      ...['--task-webhook-url', hook.url, '--experimental-allowed-ip-networks', '127.0.0.1'],
    ],
  });
  books = new Books(server);
  for (const uid of ['films', 'parts'])
    await server.client.createIndex(uid, { primaryKey: 'id' }).waitTask();
  const parts = { embedders: EMBEDDERS, filterableAttributes: ['part'] };
  await server.client.index('parts').updateSettings(parts).waitTask();
  await books.write();
  await books.backup('snapshot');
  await server.untilFinished();
  watching = books.watch();
  watching.catch(() => undefined);
});

afterAll(async () => {
  books.isOver = true;
  await stopKilledServers();
  await cleanUp();
  await hook.close();
});

test.each(chosen)('killed %s', async (_name, deed, point) => {
  if (deed === 'quantize') await books.fillBits();
  let hasDied = false;
  const dies = server.diesAt(point).finally(() => {
    hasDied = true;
  });
  while (!hasDied) {
    await deeds[deed](books);
    // Backups and deliveries come after the answer, merges after some writes.
    if (deed !== 'append') await Promise.race([dies, server.untilFinished()]);
  }
  await dies;
  await server.untilFinished();
  const tasks = await allTasks(server);
  for (const [number, uid] of books.acknowledged)
    expect(tasks[uid], `write ${number}`).toMatchObject({
      customMetadata: String(number),
      status: 'succeeded',
    });
  for (const { uid, status, error } of tasks)
    expect(status, `task ${uid}: ${error?.message}`).toBe('succeeded');
  const numbers = tasks.flatMap(({ customMetadata }) => customMetadata ?? []);
  expect(new Set(numbers).size, 'a write is done twice').toBe(numbers.length);
  await expectWholeBackups();
  if (deed === 'append') await expectNearest('parts', books.parts);
  if (deed === 'quantize') await expectNearest(`bits${books.quantized}`, null);
  if (deed === 'branch') await expectBranch(tasks.at(-1)?.indexUid ?? '');
});

const cosine = (a: readonly number[], b: readonly number[]): number => {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return (1 + dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))) / 2;
};

/** Comparing all documents of a part finds what is nearest. @param parts null = the vectors are bits */
async function expectNearest(uid: string, parts: readonly number[] | null): Promise<void> {
  const vector = vectorOf(7.5);
  for (const part of parts?.slice(-6) ?? [null]) {
    const search = {
      vector,
      hybrid: { embedder: 'own', semanticRatio: 1 },
      limit: PART,
      showRankingScore: true,
      ...(part !== null && { filter: `part = ${part}` }),
    };
    const answer = await server.call('POST', `/indexes/${uid}/search`, sendJson(search));
    const { hits } = answer.json as { hits: { id: number; _rankingScore: number }[] };
    const scores = Array.from({ length: PART }, (_, n) => {
      const id = (part ?? 0) * PART + n;
      const kept = vectorOf(id);
      const differing = kept.filter((value, i) => value > 0 !== (vector[i] ?? 0) > 0).length;
      return { id, score: part === null ? 1 - differing / 64 : cosine(vector, kept) };
    });
    const expected = new Map(scores.map(({ id, score }) => [id, score]));
    expect(new Set(hits.map(({ id }) => id)), answer.text).toEqual(new Set(expected.keys()));
    for (const { id, _rankingScore } of hits)
      expect(_rankingScore).toBeCloseTo(expected.get(id) ?? -1, 4);
    const found = hits.map(({ _rankingScore }) => _rankingScore);
    expect(found).toEqual([...found].sort((a, b) => b - a));
  }
}

async function expectBranch(uid: string): Promise<void> {
  const options = sendJson({ sort: ['number:asc'], limit: DOCUMENTS + 1 });
  const { status, text, json } = await server.call('POST', `/indexes/${uid}/search`, options);
  expect(status, text).toBe(200);
  expect((json as { hits: unknown[] }).hits).toHaveLength(DOCUMENTS);
}

/** What has the name of a backup is one. */
async function expectWholeBackups(): Promise<void> {
  for (const [kind, folder] of Object.entries(folders)) {
    for (const name of readdirSync(folder).filter((found) => found.endsWith(`.${kind}`))) {
      const files = await filesOf(join(folder, name));
      expect([...files.keys()]).toContain(kind === 'dump' ? 'metadata.json' : 'VERSION');
    }
  }
}

test('webhooks received every batch in the order of the commits, and the folder is sound', async () => {
  books.isOver = true;
  await watching;
  const number = await books.write();
  expect(number).not.toBeNull();
  await server.untilFinished();
  const { results } = await server.client.batches.getBatches({ limit: 1000 });
  const committed = [...results]
    .sort((a: Batch, b: Batch) => String(a.finishedAt).localeCompare(String(b.finishedAt)))
    .map(({ uid }) => uid);
  await until('all told', () => (hook.taken.at(-1)?.batchUid === committed.at(-1) ? true : null));
  expect([...new Set(hook.taken.map(({ batchUid }) => batchUid))]).toEqual(committed);
  const exits = await server.stop();
  expect(exits.map(({ code }) => code)).toEqual([0, 0]);
  for (const left of ['data.snapshot.tmp', 'data.snapshot.rocksdb'])
    expect(existsSync(join(folders.snapshot, left)), left).toBe(false);
  const { code, report } = await checkIndex(server.dbPath);
  expect(code, report).toBe(0);
  expect(report, 'files that backups held').not.toContain('orphan');
});
