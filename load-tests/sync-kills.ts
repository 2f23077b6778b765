/**
 * npm run bench:sync -- [--changes 200000] [--kills 100]
 *
 * Tables and a view of PostgreSQL change at random: rows inserted, updated, deleted, with other keys, in
 * transactions large and small, some lost by a crash, rolled back, truncated; a column is added. `gannet sync` follows them while
 * each side is killed (kill -9) `--kills` times at any moment: the sync process, PostgreSQL (its server, or the
 * sessions of the sync), and the processes of the Gannet server. At the end `gannet verify` compares each
 * index with its rows. Exit 1 if they differ. Needs an installed PostgreSQL.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hasPostgres, PostgresServer } from './bench/postgres-server.ts';
import { freePort } from './bench/server.ts';

const { values: options } = parseArgs({
  options: {
    changes: { type: 'string', default: '200000' },
    kills: { type: 'string', default: '100' },
  },
});
const [changes, kills] = [Number(options.changes), Number(options.kills)];
if (!hasPostgres) {
  console.error('needs an installed PostgreSQL (/usr/lib/postgresql)');
  process.exit(2);
}
const DIST = resolve(import.meta.dirname, '..');
const ROWS = 20_000;
const PAUSE_MS_MAX = 1500;
const FOLLOWED_MS_MAX = 20_000;
const SAMPLE_MS = 500;
const CLIENTS = 3;

const folder = mkdtempSync(join(tmpdir(), 'gannet-sync-'));
const databaseFolder = join(folder, 'postgres');
mkdirSync(databaseFolder);
const database = await PostgresServer.start(databaseFolder, await freePort());
const port = await freePort();
const mapping = join(folder, 'mapping.json');
const keys = 'SELECT id FROM orders WHERE customer = ANY($1)';
const view = {
  view: 'order_documents',
  key: 'id',
  changes: { orders: 'id', items: 'order_id', customers: { column: 'id', keys } },
};
writeFileSync(mapping, JSON.stringify({ indexes: { films: { table: 'films' }, orders: view } }));
await database.query(`
  CREATE TABLE films (id bigint PRIMARY KEY, title text, price numeric, tags text[], script text);
  CREATE TABLE customers (id int PRIMARY KEY, name text);
  CREATE TABLE orders (id int PRIMARY KEY, customer int, note text);
  CREATE TABLE items (id int PRIMARY KEY, order_id int, product text);
  CREATE INDEX ON orders (customer);
  CREATE INDEX ON items (order_id);
  ALTER TABLE items REPLICA IDENTITY FULL;
  ALTER TABLE films ALTER COLUMN script SET STORAGE EXTERNAL;
  CREATE VIEW order_documents AS SELECT o.id, o.note, c.name AS customer,
    (SELECT json_agg(i.product ORDER BY i.id) FROM items i WHERE i.order_id = o.id) AS products
    FROM orders o LEFT JOIN customers c ON c.id = o.customer;
  INSERT INTO films SELECT i, 'film ' || i, i / 7.0, '{a,b}', repeat('long ', i % 2000)
    FROM generate_series(1, ${ROWS}) i;
  INSERT INTO customers SELECT i, 'customer ' || i FROM generate_series(1, 500) i;
  INSERT INTO orders SELECT i, 1 + i % 500, 'note' FROM generate_series(1, ${ROWS / 4}) i;
  INSERT INTO items SELECT i, 1 + i % ${ROWS / 4}, 'product ' || i FROM generate_series(1, ${ROWS}) i`);

const random = (below: number): number => Math.floor(Math.random() * below);
const idsFrom = (first: number, count: number): string =>
  `BETWEEN ${first} AND ${first + count - 1}`;

/** Statements, each of about `count` rows from `at` on. */
const STATEMENTS: readonly ((at: number, count: number) => string)[] = [
  (at, count) => `INSERT INTO films SELECT i, 'new ' || i, i, NULL, NULL
    FROM generate_series(${at}, ${at + count - 1}) i ON CONFLICT (id) DO UPDATE SET title = 'again'`,
  (at, count) =>
    `UPDATE films SET title = title || '+', price = price * 1.01 WHERE id ${idsFrom(at, count)}`,
  (at, count) => `UPDATE films SET script = 'short ${at}' WHERE id ${idsFrom(at, count)}`,
  (at, count) => `DELETE FROM films WHERE id ${idsFrom(at, count)}`,
  (at, count) =>
    `UPDATE films SET id = id + ${10 * ROWS + random(1e9)} WHERE id ${idsFrom(at, count)}`,
  (at, count) => `INSERT INTO orders SELECT i, 1 + i % 500, 'new'
    FROM generate_series(${at}, ${at + count - 1}) i ON CONFLICT (id) DO UPDATE SET note = 'again'`,
  (at, count) => `UPDATE orders SET customer = 1 + id % 7 WHERE id ${idsFrom(at, count)}`,
  (at, count) => `DELETE FROM orders WHERE id ${idsFrom(at, count)}`,
  (at, count) => `UPDATE items SET order_id = order_id + 1 WHERE id ${idsFrom(at, count)}`,
  (at, count) => `DELETE FROM items WHERE id ${idsFrom(at, count)}`,
  (at, count) => `INSERT INTO items SELECT i, ${at} % 5000, 'more ' || i
    FROM generate_series(${at}, ${at + count - 1}) i ON CONFLICT (id) DO NOTHING`,
  (at) => `UPDATE customers SET name = name || '*' WHERE id = ${1 + (at % 500)}`,
];

const counts = {
  changes: 0,
  transactions: 0,
  followed: 0,
  kills: { sync: 0, postgres: 0, gannet: 0 },
};

/** Changes are spread over the time of the kills. */
const isAhead = (): boolean =>
  counts.changes / changes > Math.min(...Object.values(counts.kills)) / kills + 0.02;

/** Changes rows until enough have changed. A statement that fails in a kill counts for nothing. */
async function write(client: number): Promise<void> {
  while (counts.changes < changes) {
    while (isAhead()) await sleep(20);
    const size = random(40) === 0 ? 5000 : 1 + random(30);
    const statements = Array.from({ length: 1 + random(4) }, () => {
      const statement = STATEMENTS[random(STATEMENTS.length)];
      return statement?.(random(ROWS), size) ?? '';
    });
    const isKept = random(12) !== 0;
    const connection = await database.pool.connect().catch(() => null);
    try {
      if (connection === null) throw new Error('PostgreSQL is away');
      connection.removeAllListeners('error').on('error', () => undefined);
      let changed = 0;
      await connection.query('BEGIN');
      if (random(3) === 0) await connection.query('SET LOCAL synchronous_commit = off');
      for (const statement of statements)
        changed += (await connection.query(statement)).rowCount ?? 0;
      await connection.query(isKept ? 'COMMIT' : 'ROLLBACK');
      counts.changes += isKept ? changed : 0;
      counts.transactions += 1;
      connection.release();
    } catch {
      connection?.release(true);
      await sleep(10 + client);
    }
  }
}

/** Rare changes of whole tables. */
async function writeWholes(): Promise<void> {
  const wholes = ['TRUNCATE items', 'ALTER TABLE films ADD COLUMN year int DEFAULT 1999'];
  for (const [at, statement] of wholes.entries()) {
    while (counts.changes < (changes * (at + 1)) / 3) await sleep(100);
    while ((await database.query(statement).catch(() => null)) === null) await sleep(50);
  }
}

const environment = {
  ...process.env,
  GANNET_URL: `http://127.0.0.1:${port}`,
  XDG_STATE_HOME: join(folder, 'state'),
};
const program = `import('${join(DIST, 'processes/gannet.js')}').then(({ main }) => main())`;
const command = (...args: string[]): ChildProcess =>
  spawn(process.execPath, ['-e', program, '--', 'gannet', ...args], {
    env: environment,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', resolve));

let isOver = false;
const failures = new Set<string>();

/** Starts a process again whenever it has ended. */
class Keeper {
  child: ChildProcess | null = null;
  readonly #start: () => ChildProcess;

  constructor(start: () => ChildProcess) {
    this.#start = start;
  }

  async run(): Promise<void> {
    while (!isOver) {
      this.child = this.#start();
      await exitOf(this.child);
      await sleep(50);
    }
  }
}

const sync = new Keeper(() => {
  const child = command('sync', database.address, '--mapping', mapping);
  child.stderr?.on('data', (text: Buffer) => {
    if (text.includes('following changes')) counts.followed += 1;
    for (const line of text.toString().split('\n'))
      if (/^gannet: |Error/.test(line)) failures.add(line);
  });
  return child;
});
const gannet = new Keeper(() => {
  const flags = ['--db-path', join(folder, 'data'), '--http-addr', `127.0.0.1:${port}`];
  const all = [join(DIST, 'src/main.js'), ...flags, '--log-level', 'ERROR', '--no-warm-up'];
  return spawn(process.execPath, all, { stdio: 'ignore', detached: true });
});

const KILLS: Readonly<Record<keyof typeof counts.kills, () => Promise<boolean>>> = {
  sync: async () => sync.child?.kill('SIGKILL') === true,
  gannet: async () => {
    const { pid, exitCode = null, signalCode = null } = gannet.child ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return false;
    process.kill(-pid, 'SIGKILL');
    return true;
  },
  postgres: async () => {
    if (counts.kills.postgres % 2 === 0) {
      await database.kill();
      await database.run();
      return true;
    }
    const ended = await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'gannet sync'`,
    );
    return ended.length > 0;
  },
};

/** Every other kill waits until the changes are followed, so that copy and stream are both hit. */
async function killAll(): Promise<void> {
  const victims = Object.keys(KILLS) as (keyof typeof KILLS)[];
  for (let number = 0; number < kills * victims.length; ) {
    const followed = counts.followed;
    const endMs = performance.now() + FOLLOWED_MS_MAX;
    while (number % 2 === 0 && counts.followed === followed && performance.now() < endMs)
      await sleep(20);
    await sleep(random(PAUSE_MS_MAX));
    const victim = victims[number % victims.length] ?? 'sync';
    if (!(await KILLS[victim]().catch(() => false))) continue;
    counts.kills[victim] += 1;
    number += 1;
  }
}

let retainedBytesMax = 0;
async function sample(): Promise<void> {
  while (!isOver) {
    const [slot] = await database
      .query<{ bytes: string | null }>(
        `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::text AS bytes
          FROM pg_replication_slots WHERE slot_name = 'gannet'`,
      )
      .catch(() => []);
    retainedBytesMax = Math.max(retainedBytesMax, Number(slot?.bytes ?? 0));
    await sleep(SAMPLE_MS);
  }
}

const beganMs = performance.now();
const runs = [gannet.run(), sync.run(), sample()];
const writers = Array.from({ length: CLIENTS }, (_, client) => write(client));
await Promise.all([...writers, writeWholes(), killAll()]);
const writtenMs = performance.now() - beganMs;
isOver = true;
sync.child?.kill('SIGKILL');
let caughtUp: number | null = 1;
for (let attempt = 0; attempt < 10 && caughtUp !== 0; attempt++)
  caughtUp = await exitOf(command('sync', database.address, '--mapping', mapping, '--once'));
const caughtUpMs = performance.now() - beganMs - writtenMs;
const differing: string[] = [];
for (const index of ['films', 'orders']) {
  const compared = ['verify', '--source', database.address, '--mapping', mapping, '--index', index];
  if ((await exitOf(command(...compared))) !== 0) differing.push(index);
}
console.table({
  changes: counts.changes,
  transactions: counts.transactions,
  ...Object.fromEntries(Object.entries(counts.kills).map(([side, n]) => [`kills of ${side}`, n])),
  'sessions that got to the stream': counts.followed,
  'seconds under kills': Math.round(writtenMs / 1000),
  'seconds until caught up': Math.round(caughtUpMs / 100) / 10,
  'MB of log retained at most': Math.round(retainedBytesMax / 1e6),
  'indexes that differ': differing.join(', ') || 'none',
});
for (const failure of failures) console.log(failure);
const server = gannet.child?.pid;
if (server !== undefined) process.kill(-server, 'SIGKILL');
await database.stop();
await Promise.all(runs);
rmSync(folder, { recursive: true, force: true });
process.exitCode = caughtUp === 0 && differing.length === 0 ? 0 : 1;
