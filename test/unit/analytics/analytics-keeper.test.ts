/** What the indexer keeps: users as hashes, days, bytes, deleted and renamed indexes, damage. */
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnalyticsKeeper } from '../../../src/analytics/analytics-keeper.ts';
import type { SearchRow } from '../../../src/model/analytics.ts';
import { AnalyticsFiles } from '../../../src/storage/analytics-files.ts';

const NOON = Date.parse('2026-11-26T12:00:00Z');
const DAY_MS = 86_400_000;

let folder: string;
let nowMs: number;
let indexes: Map<number, string>;
let keepers: AnalyticsKeeper[];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'gannet-analytics-')), 'analytics');
  nowMs = NOON;
  indexes = new Map([
    [1, 'films'],
    [2, 'books'],
  ]);
  keepers = [];
});
afterEach(async () => {
  for (const keeper of keepers) await keeper.stop();
  rmSync(folder, { recursive: true, force: true });
});

const files = (fileBytes = 1000) => new AnalyticsFiles(folder, fileBytes);

function keeper({ days = 3, bytesMax = 1 << 20, fileBytes = 1000 } = {}): AnalyticsKeeper {
  const made = new AnalyticsKeeper({
    files: files(fileBytes),
    days,
    bytesMax,
    indexExists: (uid) => [...indexes.values()].includes(uid),
    nameOfIndex: (id) => indexes.get(id) ?? null,
    now: () => nowMs,
    log: { warn: (facts, message) => expect.fail(`${message}: ${JSON.stringify(facts)}`) },
  });
  keepers.push(made);
  return made;
}

const search = (query: string, more: Partial<SearchRow> = {}): SearchRow => ({
  index: 'films',
  at: nowMs,
  query,
  filter: '',
  hits: 1,
  ms: 1,
  ...more,
});
const batch = (...searches: SearchRow[]) => ({ searches, events: [] });

async function kept(): Promise<SearchRow[]> {
  const rows: SearchRow[] = [];
  for await (const some of files().read('searches', '2000-01-01', '2100-01-01'))
    rows.push(...(some as SearchRow[]));
  return rows;
}
const queries = async () => (await kept()).map(({ query }) => query);

it('warns when the folder cannot be read, and goes on', async () => {
  const warnings: string[] = [];
  const unreadable = Object.assign(files(), {
    list: () => {
      throw new Error('EIO');
    },
  });
  const broken = new AnalyticsKeeper({
    files: unreadable,
    days: 3,
    bytesMax: 1000,
    indexExists: () => true,
    nameOfIndex: () => null,
    now: () => nowMs,
    log: { warn: (_, message) => void warnings.push(message) },
  });
  broken.start();
  await broken.stop();
  expect(warnings).toContain('old analytics could not be deleted');
});

describe('kept analytics', () => {
  it('have users as hashes: equal on a day and in a process, and the name nowhere', async () => {
    const one = keeper();
    await one.add(batch(search('a', { user: 'ann' }), search('b', { user: 'ann' })));
    await one.add(batch(search('c', { user: 'bob' }), search('d')));
    nowMs += DAY_MS;
    await one.add(batch(search('e', { user: 'ann' })));
    await keeper().add(batch(search('f', { user: 'ann' })));
    const [a, b, c, d, e, f] = (await kept()).map(({ user }) => user);
    expect(a).toMatch(/^[\w-]{16}$/);
    expect(b).toBe(a);
    expect(d).toBeUndefined();
    expect(new Set([a, c, e, f]).size).toBe(4);
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('ann');
  });

  it('are deleted after their days, also without new searches', async () => {
    await keeper().add(batch(search('first')));
    nowMs += 2 * DAY_MS;
    await keeper().add(batch(search('third')));
    const restarted = keeper();
    restarted.start();
    await restarted.stop();
    expect(await queries()).toEqual(['first', 'third']);
    nowMs += DAY_MS;
    const later = keeper();
    later.start();
    await later.stop();
    expect(await queries()).toEqual(['third']);
  });

  it('take no more bytes than allowed: the oldest are deleted', async () => {
    const one = keeper({ bytesMax: 8000, fileBytes: 500 });
    for (let i = 0; i < 200; i++) await one.add(batch(search(`query ${i}`)));
    const left = await queries();
    const bytes = files()
      .list()
      .reduce((sum, file) => sum + file.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(8000);
    expect(bytes).toBeGreaterThan(7000);
    expect(left.at(-1)).toBe('query 199');
    expect(left).toEqual(
      Array.from({ length: left.length }, (_, i) => `query ${200 - left.length + i}`),
    );
  });

  it('follow the deletion and the new name of an index', async () => {
    const one = keeper();
    await one.add(batch(search('a'), search('b', { index: 'books' })));
    indexes.set(1, 'movies');
    one.indexGone({ uid: 'films', indexId: 1 });
    indexes.delete(2);
    one.indexGone({ uid: 'books', indexId: 2 });
    await one.add(batch(search('late', { index: 'books' })));
    expect((await kept()).map(({ index, query }) => `${index} ${query}`)).toEqual(['movies a']);
  });

  it('of a deleted index stay deleted when an index of that name is created at once', async () => {
    const one = keeper();
    await one.add(batch(search('former')));
    indexes.delete(1);
    one.indexGone({ uid: 'films', indexId: 1 });
    indexes.set(3, 'films');
    nowMs += 1;
    await one.add(batch(search('new')));
    expect(await queries()).toEqual(['new']);
  });

  it('of an index that was deleted just before a crash are deleted at the start', async () => {
    await keeper().add(batch(search('a'), search('b', { index: 'books' })));
    writeFileSync(join(folder, '2026-11-26.000001.searches.new'), 'half');
    indexes.delete(1);
    const restarted = keeper();
    restarted.start();
    await restarted.stop();
    expect(await queries()).toEqual(['b']);
    expect(readdirSync(folder)).toEqual(['2026-11-26.000001.searches']);
  });

  it('lose only the lines that are damaged', async () => {
    const one = keeper({ fileBytes: 1 << 20 });
    await one.add(batch(search('a')));
    await one.add(batch(search('b')));
    const [name = ''] = readdirSync(folder);
    appendFileSync(join(folder, name), '\n1234abcd [{"query":"half');
    await one.add(batch(search('c')));
    expect(await queries()).toEqual(['a', 'b', 'c']);
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replace('"query":"b"', '"query":"x"'));
    expect(await queries()).toEqual(['a', 'c']);
  });
});
