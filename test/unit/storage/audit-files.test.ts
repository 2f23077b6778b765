/** Files of the audit log: append, pages from the newest line, damage, retention. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import type { AuditPage } from '../../../src/observability/audit-log.ts';
import { AuditFiles } from '../../../src/storage/audit-files.ts';
import { amount } from '../../support/run-length.ts';

const DAY = '2026-11-27';
let folder: string;
beforeEach(() => {
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'audit-')), 'audit');
});

const open = (options: Partial<ConstructorParameters<typeof AuditFiles>[0]> = {}) =>
  new AuditFiles({ folder, days: 30, bytesMax: 1e9, fileBytes: 1e6, ...options });
const line = (n: number | string, filler = '') => `${JSON.stringify({ n, filler })}\n`;
const numbersOf = (page: AuditPage | null) => page?.lines.map((text) => JSON.parse(text).n);

/** All lines, by pages of this size. */
async function all(files: AuditFiles, limit: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let from: string | null = null; ; ) {
    const page: AuditPage | null = await files.page(from, limit);
    expect(page?.lines.length).toBeLessThanOrEqual(limit);
    found.push(...(numbersOf(page) ?? []));
    from = page?.next ?? null;
    if (from === null) return found;
  }
}

it('has no lines before the first one', async () => {
  expect(await open().page(null, 10)).toEqual({ lines: [], next: null });
  await open().sync();
  await open().removeOld(DAY);
});

it('lists every line once, the newest first, by pages of any size', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 70_000 }), { maxLength: 12 });
  const pages = fc.integer({ min: 1, max: 5 });
  const fileSizes = fc.constantFrom(1, 100, 100_000);
  await fc.assert(
    fc.asyncProperty(sizes, pages, fileSizes, async (fillers, limit, fileBytes) => {
      fs.rmSync(folder, { recursive: true, force: true });
      const files = open({ fileBytes });
      for (const [n, size] of fillers.entries())
        await files.append(DAY, line(n, 'é'.repeat(size / 2)));
      expect(await all(files, limit)).toEqual([...fillers.keys()].reverse());
    }),
    { numRuns: amount(10, 40) },
  );
});

it('keeps the places of pages while lines are added', async () => {
  const files = open();
  await files.append(DAY, [1, 2, 3].map((n) => line(n)).join(''));
  const first = await files.page(null, 2);
  await files.append(DAY, line(4));
  expect(numbersOf(first)).toEqual([3, 2]);
  expect(numbersOf(await files.page(first?.next ?? null, 2))).toEqual([1]);
});

it('begins at the end of a day', async () => {
  const files = open();
  for (const [day, n] of [
    ['2026-11-25', 1],
    ['2026-11-26', 2],
    ['2026-11-28', 3],
  ] as const)
    await files.append(day, line(n));
  expect(numbersOf(await files.page('2026-11-27', 9))).toEqual([2, 1]);
  expect(numbersOf(await files.page('2026-11-26', 1))).toEqual([2]);
  expect(numbersOf(await files.page('2026-11-24', 9))).toEqual([]);
});

it.each(['x', '2026', '2026-02-30', '../x:1', `${DAY}.000001.jsonl`, `${DAY}.000001.jsonl:-1`, ''])(
  'takes %j for no place',
  async (from) => {
    expect(await open().page(from, 1)).toBeNull();
  },
);

it('goes on at older files when the one of the place was deleted', async () => {
  const files = open({ fileBytes: 1 });
  for (const n of [1, 2, 3]) await files.append(DAY, line(n));
  const { next } = (await files.page(null, 1)) ?? { next: null };
  fs.rmSync(path.join(folder, `${DAY}.000003.jsonl`));
  expect(numbersOf(await files.page(next, 9))).toEqual([2, 1]);
  expect(numbersOf(await files.page(`${DAY}.000001.jsonl:999999`, 9))).toEqual([1]);
});

it('skips a line that was cut off, and begins the next line after it', async () => {
  await open().append(DAY, line(1));
  fs.appendFileSync(path.join(folder, `${DAY}.000001.jsonl`), '{"n":2,"fil');
  const files = open();
  await files.append(DAY, line(3));
  await files.append(DAY, line(4));
  expect(await all(files, 1)).toEqual([4, 3, 1]);
});

it('is open to the owner alone', async () => {
  await open().append(DAY, line(1));
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.statSync(path.join(folder, `${DAY}.000001.jsonl`)).mode & 0o777).toBe(0o600);
});

it('mixes no lines of several writers', async () => {
  const writers = [open({ fileBytes: 5000 }), open({ fileBytes: 5000 }), open({ fileBytes: 5000 })];
  const numbers = Array.from({ length: 60 }, (_, i) => i);
  await Promise.all(
    writers.map(async (files, w) => {
      for (const n of numbers) await files.append(DAY, line(`${w}:${n}`, 'x'.repeat(200)));
    }),
  );
  const found = await all(open(), 7);
  expect(found).toHaveLength(180);
  for (const w of writers.keys())
    expect(found.filter((n) => String(n).startsWith(`${w}:`)).reverse()).toEqual(
      numbers.map((n) => `${w}:${n}`),
    );
});

it('deletes old days, and the oldest files beyond the size', async () => {
  const files = open({ fileBytes: 1, days: 2 });
  for (const day of ['2026-11-24', '2026-11-25', '2026-11-26']) await files.append(day, line(day));
  await files.removeOld(DAY);
  expect(await all(files, 9)).toEqual(['2026-11-26']);
  const small = open({ fileBytes: 100, bytesMax: 1000, days: 2 });
  for (let n = 0; n < 200; n++) await small.append(DAY, line(n, 'x'.repeat(50)));
  const bytes = fs
    .readdirSync(folder)
    .reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
  expect(bytes).toBeLessThanOrEqual(1000 + 200);
  expect((await all(small, 9)).slice(0, 2)).toEqual([199, 198]);
});

it('never names a file before an older one, also if the clock goes back', async () => {
  const files = open({ fileBytes: 1 });
  for (const day of [DAY, '2026-11-20', DAY]) await files.append(day, line(day));
  expect(fs.readdirSync(folder).sort()).toEqual([1, 2, 3].map((n) => `${DAY}.00000${n}.jsonl`));
});
