/** `gannet sync` from a real PostgreSQL; skipped where PostgreSQL is not installed. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../load-tests/bench/postgres-server.ts';
import { freePort } from '../support/free-port.ts';
import { type EndedCommand, runGannet } from '../support/run-gannet.ts';
import { amount } from '../support/run-length.ts';
import { MASTER_KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';
import { cleanUp, freshFolder } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const PROGRAM = resolve(import.meta.dirname, '../../scripts/gannet.mjs');
const folder = freshFolder();
let source: PostgresServer;
let server: SharedServer;
let env: Record<string, string>;

const start = async (): Promise<void> => {
  [source, server] = await Promise.all([
    PostgresServer.start(freshFolder(), await freePort(), 'wal_level = replica\n'),
    sharedServer(),
  ]);
  env = { XDG_STATE_HOME: join(folder, 'state'), GANNET_URL: server.url, GANNET_KEY: MASTER_KEY };
};

const mappingFile = (name: string, indexes: object): string => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ indexes }));
  return file;
};

const sync = (slot: string, ...options: string[]): Promise<EndedCommand> =>
  runGannet(
    ['sync', source.address, '--slot', slot, '--publication', slot, '--once', ...options],
    env,
  );

async function synced(slot: string, ...options: string[]): Promise<string> {
  const { code, err } = await sync(slot, ...options);
  expect(code, err).toBe(0);
  return err;
}

/** What `gannet verify` finds between the rows and the index. */
async function differences(index: string, ...options: string[]): Promise<unknown> {
  const args = ['verify', '--source', source.address, '--index', index, '--json', ...options];
  const { values } = await runGannet(args, env);
  const [{ missing, surplus, changed }] = values as [Record<string, unknown>];
  return { missing, surplus, changed };
}
const NONE = { missing: [], surplus: [], changed: [] };

async function documentOf(index: string, id: string | number): Promise<string | null> {
  const headers = { authorization: `Bearer ${MASTER_KEY}` };
  const answer = await fetch(`${server.url}/indexes/${index}/documents/${id}`, { headers });
  return answer.ok ? answer.text() : null;
}

describe.skipIf(!hasPostgres)('gannet sync, with PostgreSQL installed', () => {
  beforeAll(start);
  afterAll(async () => {
    await source.stop();
    await cleanUp();
  });

  it('refuses a database without logical replication, and one that does not answer', async () => {
    await source.query(`CREATE TABLE plain (id int PRIMARY KEY)`);
    const args = ['sync', source.address, '--tables', 'plain', '--once'];
    expect((await runGannet(args, env)).err).toContain('set wal_level = logical');
    await source.kill('SIGINT');
    const { code, err } = await runGannet(args, env);
    expect(code).toBe(1);
    expect(err).toContain('ECONNREFUSED');
    await source.restart('wal_level = logical\n');
  });

  it('copies rows as documents with exact numbers, arrays, objects and ISO times', async () => {
    await source.query(`
      CREATE TABLE kinds (id bigint PRIMARY KEY, price numeric, tags text[], meta jsonb,
        seen timestamptz, day date, note text, flag boolean);
      INSERT INTO kinds VALUES (9007199254740993, 12345678901234567890.10, '{a,"b c"}',
        '{"x": {"y": [1]}}', '2026-01-02 03:04:05.5+01', '2026-01-02', NULL, true)`);
    await synced('kinds', '--tables', 'kinds');
    expect(await documentOf('kinds', '9007199254740993')).toBe(
      '{"id":9007199254740993,"price":12345678901234567890.10,"tags":["a","b c"],"meta":{"x":{"y":[1]}},"seen":"2026-01-02T02:04:05.5+00:00","day":"2026-01-02","note":null,"flag":true}',
    );
    expect(await differences('kinds', '--tables', 'kinds')).toEqual(NONE);
  });

  it('renames and omits columns, converts forms and makes points', async () => {
    await source.query(`
      CREATE TABLE shops (code text PRIMARY KEY, label text, secret text, opened timestamptz,
        hours text, price numeric, lat float8, lng float8);
      INSERT INTO shops VALUES ('a-1', 'Shop', 'x', '1970-01-02 00:00:00.25+00', '{"mo": [9, 17]}',
        1.50, 48.5, 9.25), ('a-2', 'Van', 'x', NULL, NULL, NULL, NULL, 1)`);
    const fields = {
      label: 'name',
      secret: false,
      opened: { name: 'openedAt', as: 'seconds' },
      hours: { as: 'json' },
      price: { as: 'text' },
      lat: false,
      lng: false,
    };
    const geo = { lat: 'lat', lng: 'lng' };
    const file = mappingFile('shops', { stores: { table: 'shops', fields, geo } });
    await synced('shops', '--mapping', file);
    expect(await documentOf('stores', 'a-1')).toBe(
      '{"code":"a-1","name":"Shop","openedAt":86400.25,"hours":{"mo":[9,17]},"price":"1.50","_geo":{"lat":48.5,"lng":9.25}}',
    );
    expect(await documentOf('stores', 'a-2')).toContain('"openedAt":null,"hours":null');
    expect(await differences('stores', '--mapping', file)).toEqual(NONE);
  });

  it('applies inserts, updates, new keys, deletes and large values that did not change', async () => {
    await source.query(`
      CREATE TABLE films (id int PRIMARY KEY, title text, script text);
      ALTER TABLE films ALTER COLUMN script SET STORAGE EXTERNAL;
      INSERT INTO films SELECT i, 'film ' || i, repeat('long ', 2000) FROM generate_series(1, 10) i`);
    await synced('films', '--tables', 'films');
    await source.query(`
      INSERT INTO films VALUES (11, 'new', 'short');
      UPDATE films SET title = 'changed' WHERE id = 1;
      UPDATE films SET id = 20 WHERE id = 2;
      DELETE FROM films WHERE id = 3;
      DELETE FROM films WHERE id = 4;
      INSERT INTO films VALUES (4, 'again', NULL)`);
    const err = await synced('films', '--tables', 'films');
    expect(err).not.toContain('copied');
    expect(await documentOf('films', 1)).toContain('"title":"changed","script":"long long');
    expect(await documentOf('films', 2)).toBeNull();
    expect(await documentOf('films', 3)).toBeNull();
    expect(await differences('films', '--tables', 'films')).toEqual(NONE);
  });

  it('follows a TRUNCATE, and what is inserted after it', async () => {
    await source.query(`TRUNCATE films; INSERT INTO films VALUES (10, 'after', NULL)`);
    await synced('films', '--tables', 'films');
    expect(await differences('films', '--tables', 'films')).toEqual(NONE);
  });

  it('copies again when a column was added, so that every document has it', async () => {
    await source.query(`ALTER TABLE films ADD COLUMN year int DEFAULT 1999`);
    const err = await synced('films', '--tables', 'films');
    expect(err).toContain('films: 1 row copied');
    expect(await documentOf('films', 10)).toContain('"year":1999');
  });

  it('applies a transaction of more changes than one batch holds', async () => {
    await source.query(`
      INSERT INTO films SELECT i, 'film ' || i FROM generate_series(1000, 7999) i;
      UPDATE films SET title = title || '!' WHERE id >= 1000;
      UPDATE films SET title = title || '?' WHERE id >= 1000;
      DELETE FROM films WHERE id % 3 = 0`);
    await synced('films', '--tables', 'films');
    expect(await differences('films', '--tables', 'films')).toEqual(NONE);
  });

  it('makes ids of keys with several columns', async () => {
    await source.query(`
      CREATE TABLE lines (invoice int, line int, text text, PRIMARY KEY (invoice, line));
      INSERT INTO lines SELECT i / 3, i, 'line ' || i FROM generate_series(1, 9) i`);
    await synced('lines', '--tables', 'lines');
    await source.query(`
      DELETE FROM lines WHERE line = 4; UPDATE lines SET line = 50 WHERE line = 5`);
    await synced('lines', '--tables', 'lines');
    expect(await documentOf('lines', '1-50')).toBe(
      '{"id":"1-50","invoice":1,"line":50,"text":"line 5"}',
    );
    expect(await documentOf('lines', '1-4')).toBeNull();
    expect(await differences('lines', '--tables', 'lines')).toEqual(NONE);
  });

  it('follows a view: rows of each table that it joins refresh its documents', async () => {
    await source.query(`
      CREATE TABLE customers (id int PRIMARY KEY, name text);
      CREATE TABLE orders (id int PRIMARY KEY, customer int, note text);
      CREATE TABLE items (id int PRIMARY KEY, order_id int, product text);
      ALTER TABLE items REPLICA IDENTITY FULL;
      CREATE VIEW order_documents AS SELECT o.id, o.note, c.name AS customer,
        (SELECT json_agg(i.product ORDER BY i.id) FROM items i WHERE i.order_id = o.id) AS products
        FROM orders o JOIN customers c ON c.id = o.customer;
      INSERT INTO customers SELECT i, 'customer ' || i FROM generate_series(1, 4) i;
      INSERT INTO orders SELECT i, 1 + i % 4, 'note' FROM generate_series(1, 20) i;
      INSERT INTO items SELECT i, 1 + i % 20, 'product ' || i FROM generate_series(1, 60) i`);
    const changes = {
      orders: 'id',
      items: 'order_id',
      customers: { column: 'id', keys: 'SELECT id FROM orders WHERE customer = ANY($1)' },
    };
    const file = mappingFile('orders', { orders: { view: 'order_documents', key: 'id', changes } });
    await synced('orders', '--mapping', file);
    await source.query(`
      UPDATE customers SET name = 'renamed' WHERE id = 2;
      UPDATE items SET order_id = 7 WHERE id = 4;
      UPDATE items SET order_id = NULL WHERE id = 6;
      DELETE FROM items WHERE order_id = 9;
      DELETE FROM orders WHERE id = 10;
      INSERT INTO orders VALUES (30, 2, 'new')`);
    const err = await synced('orders', '--mapping', file);
    expect(err).not.toContain('copied');
    expect(await documentOf('orders', 30)).toBe(
      '{"id":30,"note":"new","customer":"renamed","products":null}',
    );
    expect(await documentOf('orders', 10)).toBeNull();
    expect(await differences('orders', '--mapping', file)).toEqual(NONE);
  });

  it('refuses a view whose table does not send the key of changed rows, and says the remedy', async () => {
    await source.query(`ALTER TABLE items REPLICA IDENTITY DEFAULT`);
    const index = { view: 'order_documents', key: 'id', changes: { items: 'order_id' } };
    const { code, err } = await sync('identity', '--mapping', mappingFile('identity', { index }));
    expect(code).toBe(1);
    expect(err).toContain('ALTER TABLE "public"."items" REPLICA IDENTITY FULL');
  });

  it('copies a table that was added to the mapping, and only that one', async () => {
    await source.query(`
      CREATE TABLE first (id int PRIMARY KEY); INSERT INTO first VALUES (1);
      CREATE TABLE second (id int PRIMARY KEY); INSERT INTO second VALUES (1)`);
    await synced('grown', '--tables', 'first');
    const err = await synced('grown', '--tables', 'first,second');
    expect(err).toContain('second: 1 row copied');
    expect(err).not.toContain('first: 1 row copied');
  });

  it('copies again and deletes documents without a row when the slot was dropped', async () => {
    const drop = () => source.query(`SELECT pg_drop_replication_slot('grown')`).catch(() => null);
    await until('the slot is not in use', drop);
    await source.query(`DELETE FROM first`);
    const err = await synced('grown', '--tables', 'first,second');
    expect(err).toContain('first: 1 document without a row deleted');
    expect(await documentOf('first', 1)).toBeNull();
  });

  it('names a key that cannot be a document id, and keeps the position', async () => {
    await source.query(`CREATE TABLE mails (mail text PRIMARY KEY)`);
    await synced('mails', '--tables', 'mails');
    await source.query(`INSERT INTO mails VALUES ('a@b.example')`);
    for (const _ of ['first', 'again']) {
      const { code, err } = await sync('mails', '--tables', 'mails');
      expect(code).toBe(1);
      expect(err).toContain('the key `a@b.example` cannot be a document id');
    }
    await source.query(`DELETE FROM mails`);
    await synced('mails', '--tables', 'mails');
  });

  it('says what a user without rights lacks', async () => {
    await source.query(`CREATE ROLE reader LOGIN; GRANT SELECT ON films TO reader`);
    const address = source.address.replace('gannet@', 'reader@');
    const { code, err } = await runGannet(['sync', address, '--tables', 'films', '--once'], env);
    expect(code).toBe(1);
    expect(err).toContain('let an administrator run: CREATE PUBLICATION "gannet"');
  });

  it('goes on after its sessions were terminated, also in the middle of a copy', async () => {
    await source.query(`
      CREATE TABLE large (id int PRIMARY KEY, text text);
      INSERT INTO large SELECT i, repeat('text ', 20) || i FROM generate_series(1, ${amount(6_000, 30_000)}) i`);
    let ended = 0;
    for (let code: number | null = null; code !== 0; ) {
      const running = sync('large', '--tables', 'large').then((end) => {
        code = end.code;
      });
      const isWorking = async () =>
        code !== null ||
        (
          await source.query(`SELECT pid FROM pg_stat_activity
          WHERE application_name = 'gannet sync' AND query LIKE 'FETCH%'`)
        ).length > 0;
      for (; code === null && ended < 5; ended++) {
        await until('the copy is under way', isWorking);
        await source.query(`
          UPDATE large SET text = 'changed' WHERE id % 1000 = ${ended};
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'gannet sync'`);
      }
      await running;
    }
    expect(await differences('large', '--tables', 'large')).toEqual(NONE);
  });

  it('follows without end, through changes of the schema, and serves metrics', async () => {
    await source.query(`CREATE TABLE live (id int PRIMARY KEY, text text, extra text)`);
    const metricsAddress = `127.0.0.1:${await freePort()}`;
    const names = ['--slot', 'live', '--publication', 'live', '--metrics-addr', metricsAddress];
    const args = [PROGRAM, 'sync', source.address, '--tables', 'live', ...names];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
    let err = '';
    child.stderr.on('data', (text: Buffer) => {
      err += text.toString();
    });
    await until('it follows', () => err.includes('following changes'));
    await source.query(`INSERT INTO live VALUES (1, 'one', 'x')`);
    await until('the document is there', () => documentOf('live', 1));
    const { text } = await until('the change is counted', async () => {
      const answer = await fetch(`http://${metricsAddress}/metrics`);
      const found = await answer.text();
      return found.includes('gannet_sync_changes_total 1') && { text: found };
    });
    expect(text).toMatch(/^gannet_sync_delay_seconds [\d.]+$/m);
    await source.query(`ALTER TABLE live DROP COLUMN extra; UPDATE live SET text = 'two'`);
    await until('the column is gone', async () => {
      return (await documentOf('live', 1)) === '{"id":1,"text":"two"}';
    });
    await until('the new connection is reported', () => err.includes('connecting again'));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  });

  it('names a transaction that is left open, when the copy waits for it and as a metric', async () => {
    await source.query(`CREATE TABLE waiting (id int PRIMARY KEY)`);
    const left = await source.pool.connect();
    const metricsAddress = `127.0.0.1:${await freePort()}`;
    const write = async (id: number): Promise<string> => {
      await left.query('BEGIN');
      await left.query(`INSERT INTO waiting VALUES (${id})`);
      const { rows } = await left.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      return String(rows[0]?.pid);
    };
    const pid = await write(1);
    const names = ['--slot', 'open', '--publication', 'open', '--metrics-addr', metricsAddress];
    const args = [PROGRAM, 'sync', source.address, '--tables', 'waiting', ...names];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
    let err = '';
    child.stderr.on('data', (text: Buffer) => {
      err += text.toString();
    });
    await until('the transaction is named', () =>
      err.includes(
        `the copy waits for the end of the transaction of pid ${pid}, idle in transaction, open for`,
      ),
    );
    await left.query('COMMIT');
    await until('the document is there', () => documentOf('waiting', 1));
    await write(2);
    const metric = `gannet_sync_oldest_transaction_seconds{pid="${pid}",state="idle in transaction"}`;
    await until('the metric names it', async () => {
      const answer = await fetch(`http://${metricsAddress}/metrics`);
      return (await answer.text()).includes(metric);
    });
    await left.query('ROLLBACK');
    left.release();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  });

  it('copies again when PostgreSQL has removed log that the slot needed', async () => {
    await source.query(`CREATE TABLE lost (id int PRIMARY KEY); INSERT INTO lost VALUES (1), (2)`);
    await synced('lost', '--tables', 'lost');
    await source.query(`ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'`);
    await source.query(`SELECT pg_reload_conf()`);
    await source.query(`DELETE FROM lost WHERE id = 1`);
    await until('the slot is lost', async () => {
      await source.query(`CREATE TABLE IF NOT EXISTS filler (); SELECT pg_switch_wal()`);
      await source.query(`DROP TABLE filler`);
      await source.query(`CHECKPOINT`);
      const [slot] = await source.query<{ status: string }>(
        `SELECT wal_status AS status FROM pg_replication_slots WHERE slot_name = 'lost'`,
      );
      return slot?.status === 'lost';
    });
    const err = await synced('lost', '--tables', 'lost');
    expect(err).toContain('lost: 1 document without a row deleted');
    expect(await differences('lost', '--tables', 'lost')).toEqual(NONE);
  });

  it('refuses a query of keys that fails', async () => {
    const changes = {
      orders: 'id',
      customers: { column: 'id', keys: 'SELECT number FROM orders WHERE customer = ANY($1)' },
    };
    const index = { view: 'order_documents', key: 'id', changes };
    const { code, err } = await sync('keys', '--mapping', mappingFile('keys', { index }));
    expect(code).toBe(1);
    expect(err).toContain('column "number" does not exist');
  });
});
