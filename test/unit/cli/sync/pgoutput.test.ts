/** Messages of the stream, as PostgreSQL 15 has sent them, to the keys of changed documents. */
import { describe, expect, it } from 'vitest';
import { eventsOf, type Watch } from '../../../../src/cli/sync/key-changes.ts';
import {
  type Message,
  PgoutputReader,
  readFrame,
  statusOf,
} from '../../../../src/cli/sync/pgoutput.ts';

const PAIR = 16403;
const WIDE = 16410;
const LARGE = '78'.repeat(3000);

/** A large text of `pair` and `wide` does not change and is not sent again. */
const SENT = {
  begin: '4200000000015e3b1800030437fd786f72000002ee',
  describePair:
    '52000040137075626c69630070616972006400030169640000000017ffffffff016b696e640000000019ffffffff006269670000000019ffffffff',
  insert: `49000040134e00037400000001317400000002c3a47400000bb8${LARGE}`,
  newKey: '55000040134b00037400000001317400000002c3a46e4e000374000000013174000000016275',
  delete: '44000040134b00037400000001317400000001626e',
  commit: '430000000000015e3b1800000000015e3b4800030437fd786f72',
  describeWide:
    '520000401a7075626c69630077696465006600030169640000000017ffffffff01706172656e740000000017ffffffff016269670000000019ffffffff',
  insertNull: `490000401a4e00037400000001316e7400000bb8${LARGE}`,
  updateFull: `550000401a4f00037400000001316e7400000bb8${LARGE}4e000374000000013174000000013275`,
  truncate: '5400000001000000401a',
};

const watch = (indexUid: string, columns: readonly string[], isRelated = false): Watch => {
  return { indexUid, table: 'public.table', columns, isRelated };
};

/** The last message of those that were sent. */
function read(watches: readonly Watch[], ...sent: (keyof typeof SENT)[]): Message | null {
  const reader = new PgoutputReader((_, column) =>
    watches.some(({ columns }) => columns.includes(column)),
  );
  const [last] = sent.map((name) => reader.read(Buffer.from(SENT[name], 'hex'))).reverse();
  return last ?? null;
}

function events(table: number, watches: readonly Watch[], ...sent: (keyof typeof SENT)[]) {
  const message = read(watches, ...sent);
  return message === null ? null : [...eventsOf(message, new Map([[table, watches]]))];
}

describe('a message', () => {
  const pairs = [watch('pairs', ['id', 'kind'])];

  it('begins and ends transactions', () => {
    expect(read([], 'begin')).toEqual({ kind: 'begin', transaction: 0x2ee });
    const committedMs = Date.parse('2026-11-27T02:57:33.250Z');
    expect(read([], 'commit')).toEqual({
      kind: 'commit',
      end: 0x15e3b48n,
      committedMs: expect.closeTo(committedMs, -6),
    });
  });

  it('of an inserted or deleted row gives its key', () => {
    expect(events(PAIR, pairs, 'describePair', 'insert')).toEqual([
      { kind: 'key', indexUid: 'pairs', key: ['1', 'ä'] },
    ]);
    expect(events(PAIR, pairs, 'describePair', 'delete')).toEqual([
      { kind: 'key', indexUid: 'pairs', key: ['1', 'b'] },
    ]);
  });

  it('of a changed key gives both keys, so that the old document is deleted', () => {
    expect(events(PAIR, pairs, 'describePair', 'newKey')).toEqual([
      { kind: 'key', indexUid: 'pairs', key: ['1', 'ä'] },
      { kind: 'key', indexUid: 'pairs', key: ['1', 'b'] },
    ]);
  });

  it('gives no key where a column is NULL', () => {
    expect(events(WIDE, [watch('parents', ['parent'])], 'describeWide', 'insertNull')).toEqual([]);
    expect(events(WIDE, [watch('parents', ['parent'])], 'describeWide', 'updateFull')).toEqual([
      { kind: 'key', indexUid: 'parents', key: ['2'] },
    ]);
  });

  it('takes a large value that was not sent again from the old row', () => {
    const found = events(WIDE, [watch('wide', ['big'])], 'describeWide', 'updateFull');
    const key = ['x'.repeat(3000)];
    expect(found).toEqual([
      { kind: 'key', indexUid: 'wide', key },
      { kind: 'key', indexUid: 'wide', key },
    ]);
  });

  it('gives the value for a query that finds keys', () => {
    const watches = [watch('orders', ['parent'], true)];
    expect(events(WIDE, watches, 'describeWide', 'updateFull')).toEqual([
      { kind: 'related', indexUid: 'orders', table: 'public.table', value: '2' },
    ]);
  });

  it('of an emptied table concerns each of its indexes once', () => {
    const watches = [watch('a', ['id']), watch('a', ['parent']), watch('b', ['id'])];
    expect(events(WIDE, watches, 'truncate')).toEqual([
      { kind: 'all', indexUid: 'a' },
      { kind: 'all', indexUid: 'b' },
    ]);
  });

  it('of a table that no index follows gives nothing', () => {
    expect(events(WIDE, pairs, 'describePair', 'insert')).toEqual([]);
  });
});

describe('frames', () => {
  it('are data or keepalives', () => {
    const data = Buffer.concat([Buffer.from('w'), Buffer.alloc(24), Buffer.from('C…')]);
    expect(readFrame(data)).toEqual({ kind: 'data', message: Buffer.from('C…') });
    const keepalive = Buffer.alloc(18);
    keepalive.write('k');
    keepalive.writeBigUInt64BE(0x15e3b48n, 1);
    keepalive[17] = 1;
    expect(readFrame(keepalive)).toEqual({ kind: 'keepalive', end: 0x15e3b48n, wantsReply: true });
    expect(readFrame(Buffer.from('x'))).toBeNull();
  });

  it('acknowledge the end of a transaction exactly: one byte more would skip the next one', () => {
    const status = statusOf(0x15e3b48n, Date.UTC(2000, 0, 1) + 5);
    expect(status.toString('latin1', 0, 1)).toBe('r');
    expect([1, 9, 17].map((at) => status.readBigUInt64BE(at))).toEqual([
      0x15e3b48n,
      0x15e3b48n,
      0x15e3b48n,
    ]);
    expect(status.readBigInt64BE(25)).toBe(5000n);
  });
});
