/** Mapping files, SQL of documents, collected changes, visibility and reports of `gannet sync`. */
import { describe, expect, it } from 'vitest';
import { CommandFailure } from '../../../../src/cli/command-failure.ts';
import {
  type OpenTransaction,
  SourceInterrupted,
  withoutPassword,
} from '../../../../src/cli/sync/change-source.ts';
import { documentQuery, keyArrays } from '../../../../src/cli/sync/document-query.ts';
import { Inbox } from '../../../../src/cli/sync/inbox.ts';
import { type IndexMapping, parseMapping } from '../../../../src/cli/sync/mapping.ts';
import { PendingChanges } from '../../../../src/cli/sync/pending-changes.ts';
import { PostgresSource } from '../../../../src/cli/sync/postgres-source.ts';
import { SyncReport } from '../../../../src/cli/sync/sync-report.ts';
import { isVisible } from '../../../../src/cli/sync/visibility.ts';

const mappingOf = (index: object): IndexMapping => {
  const [mapping] = parseMapping(JSON.stringify({ indexes: { films: index } }), 'map.json');
  return mapping!;
};

describe('a mapping file', () => {
  it('names table, key, fields and points', () => {
    const fields = { title: 'name', secret: false, made: { as: 'seconds' } };
    const geo = { lat: 'y', lng: 'x' };
    expect(mappingOf({ table: 'films', key: 'id', fields, geo })).toEqual({
      uid: 'films',
      relation: 'films',
      key: ['id'],
      fields: new Map([
        ['title', { name: 'name', form: null }],
        ['secret', { name: null, form: null }],
        ['made', { name: 'made', form: 'seconds' }],
      ]),
      geo: ['y', 'x'],
      changes: null,
    });
  });

  it('names tables whose changes refresh a view', () => {
    const keys = 'SELECT id FROM films WHERE studio = ANY($1)';
    const changes = { films: 'id', casts: ['film'], studios: { column: 'id', keys } };
    expect(mappingOf({ view: 'v', key: 'id', changes }).changes).toEqual([
      { table: 'films', columns: ['id'], keysQuery: null },
      { table: 'casts', columns: ['film'], keysQuery: null },
      { table: 'studios', columns: ['id'], keysQuery: keys },
    ]);
  });

  it.each([
    ['[]', 'map.json: must be a JSON object'],
    ['{"indexes":{}}', '`indexes` must be an object with an index'],
    ['{"indexes":{"a":{}}}', 'index `a`: needs `table` or `view`'],
    ['{"indexes":{"a":{"table":"t","tabel":1}}}', 'unknown member `tabel`'],
    ['{"indexes":{"a":{"view":"v"}}}', 'a view needs `key` and `changes`'],
    ['{"indexes":{"a":{"table":"t","changes":{}}}}', '`changes` belongs to a view'],
    ['{"indexes":{"a":{"table":"t","key":[]}}}', '`key` names a column'],
    ['{"indexes":{"a":{"table":"t","fields":{"b":{"as":"int"}}}}}', '`as` is one of seconds'],
    ['{"indexes":{"a":{"table":"t","geo":["a","b"]}}}', 'must be a JSON object'],
    ['{"indexes":{"a":{"view":"v","key":"k","changes":{"t":{"column":"c"}}}}}', 'as $1'],
  ])('%s is refused', (text, message) => {
    expect(() => parseMapping(text, 'map.json')).toThrow(message);
  });
});

describe('the query of documents', () => {
  const columns = [
    { name: 'id', type: 'bigint' },
    { name: 'a"b', type: 'text' },
  ];

  it('quotes names and compares keys by their type', () => {
    const query = documentQuery(mappingOf({ table: 't' }), ['id'], '"public"."t"', columns);
    expect(query.byKeys).toBe(
      'SELECT t."id"::text AS k0, (SELECT row_to_json(d) FROM (SELECT t."id" AS "id", t."a""b" AS "a""b") d)::text AS document FROM "public"."t" t WHERE t."id" = ANY($1::bigint[])',
    );
    expect(query.after).toMatch(/WHERE t\."id" > \$1::bigint ORDER BY t\."id"$/);
    expect(query).toMatchObject({ primaryKey: 'id', fields: ['id', 'a"b'] });
  });

  it('adds an id to documents with several key columns', () => {
    const query = documentQuery(
      mappingOf({ table: 't', fields: { id: 'number' } }),
      ['id', 'a"b'],
      't',
      columns,
    );
    expect(query).toMatchObject({ primaryKey: 'id', fields: ['id', 'number', 'a"b'] });
    expect(query.byKeys).toContain('IN (SELECT * FROM unnest($1::bigint[], $2::text[]))');
  });

  it.each([
    [{ table: 't', fields: { other: 'x' } }, ['id'], 'has no column `other`'],
    [{ table: 't', fields: { id: false } }, ['id'], 'the key column `id` is omitted'],
    [{ table: 't', fields: { id: 'a"b' } }, ['id'], 'two columns become the field `a"b`'],
    [{ table: 't' }, ['id', 'a"b'], 'two columns become the field `id`'],
  ])('%j with the key %j is refused', (index, key, message) => {
    expect(() => documentQuery(mappingOf(index), key, 't', columns)).toThrow(message);
  });

  it.each<[string, readonly string[], readonly string[], boolean]>([
    ['a text alone', ['text'], ['a-b'], false],
    ['two texts', ['text', 'character varying(9)'], ['a', 'b'], false],
    ['two texts with the separator', ['text', 'text'], ['a-b', 'c'], true],
    ['a text with the separator and a number', ['text', 'bigint'], ['a-b', '1'], false],
    ['a text and a negative number', ['text', 'bigint'], ['a', '-1'], true],
    ['two identifiers', ['uuid', 'uuid'], ['1-1', '2-2'], false],
    ['negative numbers', ['integer', 'integer'], ['-1', '-2'], false],
  ])('finds keys whose document id another key may have: %s', (_, types, key, expected) => {
    const names = types.map((__, at) => `c${at}`);
    const typed = types.map((type, at) => ({ name: `c${at}`, type }));
    const query = documentQuery(mappingOf({ table: 't' }), names, 't', typed);
    expect(query.isAmbiguous(key)).toBe(expected);
  });

  it('takes keys as one array a column, with quotes and backslashes', () => {
    expect(
      keyArrays([
        ['1', 'a"b'],
        ['2', 'c\\d'],
      ]),
    ).toEqual(['{"1","2"}', '{"a\\"b","c\\\\d"}']);
  });
});

describe('pending changes', () => {
  const key = (text: string, indexUid = 'films') =>
    ({ kind: 'key', indexUid, key: [text] }) as const;
  const position = (at: bigint, committedMs: number | null = null) =>
    ({ kind: 'position', position: at, committedMs }) as const;

  it('hold each key once, with the newest position and the oldest commit', () => {
    const pending = new PendingChanges();
    expect(pending.isEmpty).toBe(true);
    for (const event of [
      position(1n),
      key('1'),
      key('1'),
      position(2n, 20),
      key('2'),
      position(3n, 30),
    ])
      pending.add(event);
    expect(pending.take()).toEqual({
      keys: new Map([['films', [['1'], ['2']]]]),
      related: [],
      copies: new Set(),
      position: 3n,
      committedMs: 20,
    });
    expect(pending.isEmpty).toBe(true);
  });

  it('have no position within a transaction', () => {
    const pending = new PendingChanges();
    pending.add(key('1'));
    expect(pending.take().position).toBeNull();
  });

  it('drop keys of an index that is copied', () => {
    const pending = new PendingChanges();
    pending.add(key('1'));
    pending.add(key('1', 'other'));
    pending.add({ kind: 'related', indexUid: 'films', table: 't', value: '1' });
    pending.add({ kind: 'all', indexUid: 'films' });
    const { keys, related, copies } = pending.take();
    expect([[...keys.keys()], related, [...copies]]).toEqual([['other'], [], ['films']]);
  });

  it('pause the stream while they are full', async () => {
    const paused: boolean[] = [];
    const source = { setPaused: (isPaused: boolean) => void paused.push(isPaused) };
    const inbox = new Inbox(source, () => Promise.resolve());
    for (let at = 0; at < 20_000; at++) inbox.add(key(String(at)));
    expect(paused).toEqual([true]);
    expect((await inbox.next(0))?.keys.get('films')).toHaveLength(20_000);
    expect(paused).toEqual([true, false]);
    expect(await inbox.next(0)).toBeNull();
    inbox.end(new Error('ended'));
    await expect(inbox.next(0)).rejects.toThrow('ended');
  });
});

describe('a transaction', () => {
  it.each([
    [9, '10:12:', true],
    [10, '10:12:10', false],
    [11, '10:12:10', true],
    [12, '10:12:10', false],
    [7, '4294967303:4294967305:4294967303', false],
    [6, '4294967303:4294967305:4294967303', true],
    [4_294_967_295, '4294967303:4294967305:', true],
  ])('%d is visible in the snapshot %s: %j', (transaction, snapshot, expected) => {
    expect(isVisible(transaction, snapshot)).toBe(expected);
  });
});

describe('an error', () => {
  const source = new PostgresSource({
    address: 'postgres://localhost/db',
    slot: 's',
    publication: 'p',
    mappings: [],
    note: () => undefined,
  });
  it.each([
    [{ code: '57P01', message: 'terminating connection' }, SourceInterrupted],
    [{ code: '55006', message: 'replication slot is active' }, SourceInterrupted],
    [{ code: 'ECONNREFUSED', message: '' }, SourceInterrupted],
    [{ code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'self-signed' }, SourceInterrupted],
    [{ message: 'Connection terminated unexpectedly' }, SourceInterrupted],
    [
      { message: 'Client has encountered a connection error and is not queryable' },
      SourceInterrupted,
    ],
    [{ code: '42501', message: 'permission denied' }, CommandFailure],
    [{ code: '42703', message: 'column does not exist' }, CommandFailure],
    [{ code: 'ERR_INVALID_ARG_TYPE', message: 'a mistake of ours' }, Error],
    [{ message: 'a mistake of ours' }, Error],
  ])('%j ends the session, the process, or is a mistake', (given, kind) => {
    const error = Object.assign(new Error(given.message), given);
    expect((source.failure(error) as Error).constructor).toBe(kind);
  });
});

describe('a report', () => {
  it('warns once a minute while the source retains much', () => {
    let nowMs = 0;
    const lines: string[] = [];
    const report = new SyncReport(
      (line) => lines.push(line),
      () => nowMs,
    );
    report.lag({ bytes: 0, retainedBytes: 5e8, bytesLeft: 6e8, oldestTransaction: null });
    expect(lines).toEqual([]);
    report.lag({ bytes: 0, retainedBytes: 6e8, bytesLeft: 5e8, oldestTransaction: null });
    report.lag({ bytes: 0, retainedBytes: 6e8, bytesLeft: 5e8, oldestTransaction: null });
    expect(lines).toEqual([expect.stringContaining('the slot is dropped')]);
    nowMs = 60_000;
    report.lag({ bytes: 0, retainedBytes: 2e9, bytesLeft: null, oldestTransaction: null });
    expect(lines[1]).toContain('the log may fill the disk');
  });

  it('names the transaction that holds the log, whenever the log has doubled', () => {
    let nowMs = 0;
    const lines: string[] = [];
    const report = new SyncReport(
      (line) => lines.push(line),
      () => nowMs,
    );
    const open = { id: '7', pid: 12, state: 'idle in transaction', seconds: 90 };
    const hold = (megabytes: number, oldestTransaction: OpenTransaction | null): number => {
      const retainedBytes = 1000 + megabytes * 1024 ** 2;
      report.lag({ bytes: 1000, retainedBytes, bytesLeft: null, oldestTransaction });
      return lines.length;
    };
    expect(hold(63, open)).toBe(0);
    expect(hold(100, open)).toBe(1);
    expect(lines[0]).toBe(
      'warning: PostgreSQL retains 100 MiB of log because of the transaction of pid 12, idle in transaction, open for 90 s',
    );
    expect(hold(199, open)).toBe(1);
    expect(hold(201, open)).toBe(2);
    expect(hold(500, { ...open, id: '8', seconds: 59 })).toBe(2);
    expect(hold(500, { ...open, id: '9' })).toBe(3);
    expect(hold(500, null)).toBe(3);

    const hidden = { id: '10', pid: 13, state: null, seconds: null };
    expect(hold(500, hidden)).toBe(3);
    nowMs = 60_000;
    expect(hold(500, hidden)).toBe(4);
    expect(lines[3]).toMatch(/pid 13, state hidden \(grant pg_read_all_stats\)$/);
    expect(hold(900, { id: '11', pid: null, state: 'prepared', seconds: 61 })).toBe(5);
    expect(lines[4]).toContain('a prepared transaction, open for 61 s (see pg_prepared_xacts)');
  });

  it('has metrics of what is known', () => {
    const report = new SyncReport(
      () => undefined,
      () => 5000,
    );
    expect(report.metrics()).toBe(
      '# HELP gannet_sync_changes_total Changed keys that were applied\n# TYPE gannet_sync_changes_total counter\ngannet_sync_changes_total 0\n',
    );
    const pending = new PendingChanges();
    pending.add({ kind: 'key', indexUid: 'films', key: ['1'] });
    pending.add({ kind: 'position', position: 1n, committedMs: 3500 });
    report.applied(pending.take());
    report.lag({ bytes: 10, retainedBytes: 20, bytesLeft: null, oldestTransaction: null });
    const values = report
      .metrics()
      .split('\n')
      .filter((line) => /^[^#]/.test(line));
    expect(values).toEqual([
      'gannet_sync_changes_total 1',
      'gannet_sync_delay_seconds 1.5',
      'gannet_sync_lag_bytes 10',
      'gannet_sync_retained_bytes 20',
    ]);
    const oldestTransaction = { id: '7', pid: 12, state: 'active', seconds: 2.5 };
    report.lag({ bytes: 10, retainedBytes: 20, bytesLeft: null, oldestTransaction });
    expect(report.metrics()).toContain(
      '\ngannet_sync_oldest_transaction_seconds{pid="12",state="active"} 2.5\n',
    );
  });

  it('hides the password of an address', () => {
    expect(withoutPassword('postgres://me:a%40b@host/db')).toBe('postgres://me@host/db');
    expect(withoutPassword('postgres://me@host/db')).toBe('postgres://me@host/db');
  });
});
