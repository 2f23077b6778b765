/**
 * kill -9 at named points of a write's way, of merges, backups and webhooks: what was acknowledged
 * is done, once, nobody ever sees a part of a batch, and no file looks like a backup that is none.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch, Task } from 'meilisearch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { filesOf } from '../support/imported-folder.ts';
import { KilledServer, type KillPoint, stopKilledServers } from '../support/killed-server.ts';
import { checkIndex, cleanUp, freshFolder } from '../support/test-server.ts';
import { until } from '../support/until.ts';
import { type WebhookTarget, webhookTarget } from '../support/webhook-target.ts';

const DOCUMENTS = 40;
/** More than a task record may hold, so that the payload is a file. */
const TEXT = 'as long as it takes '.repeat(100);
/** Between two looks at the documents. */
const LOOKS_MS = 20;

/** What is done until the process dies there. */
type Deed = 'write' | 'append' | 'dump' | 'snapshot';

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
  ['while a merge writes', 'append', at('sync', 'before', '\\.seg\\.tmp$', 'merge')],
  ['after a merge has its file', 'append', at('name', 'after', '\\.seg$', 'merge')],
  ...bothSides('a merge is committed', 'append', 'write', '^rocksdb index$'),
  ['while documents are dumped', 'dump', at('open', 'after', '\\.dump\\.part$')],
  ...bothSides('a dump has its name', 'dump', 'name', '\\.dump$'),
  ['while a snapshot copies the database', 'snapshot', at('write', 'after', '\\.rocksdb ')],
  ['before the last snapshot is kept', 'snapshot', at('name', 'before', '\\d\\.snapshot$')],
  ...bothSides('a snapshot has its name', 'snapshot', 'name', '[a-z]\\.snapshot$'),
  ...bothSides('a delivery is noted', 'write', 'write', 'attempt.*outboxPlace'),
  ['before a delivery is sent', 'write', at('send', 'before', '^POST /hook')],
];

/** Writes one number into all documents of an index, again and again, and keeps the books. */
class Books {
  readonly server: KilledServer;
  /** Number of the write → its task, where the answer came. */
  readonly acknowledged = new Map<number, number>();
  writes = 0;
  appended = 0;
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
    const id = this.appended++;
    const uid = await this.#send(
      '/indexes/parts/documents',
      sendJson([{ id, text: `part ${id}` }]),
    );
    if (uid !== null) await this.server.client.tasks.waitForTask(uid).catch(() => null);
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

  /** Whoever reads finds all documents of one write, never of an older one than before. */
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

test.each(POINTS)('killed %s', async (_name, deed, point) => {
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
});

/** What has the name of a backup is one. */
async function expectWholeBackups(): Promise<void> {
  for (const [kind, folder] of Object.entries(folders)) {
    for (const name of readdirSync(folder).filter((found) => found.endsWith(`.${kind}`))) {
      const files = await filesOf(join(folder, name));
      expect([...files.keys()]).toContain(kind === 'dump' ? 'metadata.json' : 'VERSION');
    }
  }
}

test('webhooks were told of every batch in the order of the commits, and the folder is sound', async () => {
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
  const { code, report } = checkIndex(server.dbPath);
  expect(code, report).toBe(0);
  expect(report, 'files that backups held').not.toContain('unnamed');
});
