/** The queue of the audit log: batches, a full disk, floods of refused requests. */
import { expect, it } from 'vitest';
import { type AuditLine, AuditLog } from '../../../src/observability/audit-log.ts';
import { until } from '../../support/until.ts';

const NOW_MS = Date.parse('2026-11-27T03:00:00.000Z');
const line = (request: string): AuditLine => ({
  time: '2026-11-27T03:00:00.000Z',
  request,
  who: 'master',
  address: '192.0.2.1',
  method: 'DELETE',
  route: '/indexes/:indexUid',
  status: 202,
});

function harness() {
  const written: string[] = [];
  const errors: string[] = [];
  const state = { isFull: false, nowMs: NOW_MS };
  const log = new AuditLog({
    now: () => state.nowMs,
    log: { error: (_, message) => errors.push(message) },
    files: {
      append: async (day, lines) => {
        expect(day).toBe('2026-11-27');
        await Promise.resolve();
        if (state.isFull) throw new Error('ENOSPC');
        written.push(lines);
      },
      sync: async () => undefined,
      removeOld: async () => undefined,
      page: async (from) => (from === 'x' ? null : { lines: written, next: null }),
    },
  });
  const lines = () =>
    written.flatMap((text) => text.trimEnd().split('\n')).map((text) => JSON.parse(text));
  const metrics = () => log.metrics().map(({ values }) => values[0]?.value);
  return { log, state, written, errors, lines, metrics };
}

it('writes lines of the same time at once, before a page is read', async () => {
  const { log, written, lines, metrics } = harness();
  for (const request of ['a', 'b', 'c']) log.changed(line(request));
  expect((await log.page(null, 9))?.lines).toHaveLength(1);
  expect(written).toHaveLength(1);
  expect(lines().map(({ request }) => request)).toEqual(['a', 'b', 'c']);
  log.changed(line('d'));
  await log.stop();
  expect(lines()).toHaveLength(4);
  expect(metrics()).toEqual([4, 0]);
  expect(await log.page('x', 1)).toBeNull();
});

it('keeps lines while the disk is full, logs it once, and reports what it lost', async () => {
  const { log, state, errors, lines, metrics } = harness();
  state.isFull = true;
  for (let n = 0; n < 10_005; n++) log.changed(line(String(n)));
  await expect.poll(() => errors).toEqual(['the audit log cannot be written; its lines wait']);
  expect((await log.page(null, 1))?.lines).toEqual([]);
  expect(metrics()).toEqual([10_005, 5]);
  state.isFull = false;
  await until('the disk has room', () => lines().length === 10_001);
  expect(lines()[0]).toEqual({ time: '2026-11-27T03:00:00.000Z', lost: 5 });
  expect(
    lines()
      .slice(1)
      .map(({ request }) => Number(request)),
  ).toEqual([...Array(10_000).keys()]);
  log.changed(line('z'));
  await log.stop();
  expect(lines().at(-1)).toMatchObject({ request: 'z' });
  expect(errors).toHaveLength(1);
});

it('ends with the process while the disk is full', async () => {
  const { log, state, written } = harness();
  state.isFull = true;
  log.changed(line('a'));
  await log.stop();
  expect(written).toEqual([]);
});

it('records 100 refused requests a minute, and how many more there were', async () => {
  const { log, state, lines, metrics } = harness();
  for (let n = 0; n < 250; n++) log.refused(line(String(n)));
  log.changed(line('change'));
  await log.page(null, 1);
  expect(lines()).toHaveLength(102);
  expect(lines()[0]).toMatchObject({ lost: 150 });
  expect(metrics()).toEqual([101, 150]);
  state.nowMs += 60_000;
  log.refused(line('later'));
  await log.stop();
  expect(lines().at(-1)).toMatchObject({ request: 'later' });
});
