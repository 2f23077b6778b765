/** What is granted time in place: known by its question or its shape; what was long is tried again. */
import { expect, it } from 'vitest';
import type { QueryTask, QueryWork } from '../../../../src/ipc/queries/query-protocol.ts';
import { WorkEstimates } from '../../../../src/ipc/queries/work-estimates.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../../../../src/model/search.ts';

const taskOf = (work: QueryWork, snapshotKey = '1:1'): QueryTask => ({
  snapshotKey,
  manifest: new SharedArrayBuffer(8),
  location: { kind: 'memory', name: 'a' },
  work,
});
const search = (request: Partial<SearchRequest>, snapshotKey?: string): QueryTask =>
  taskOf(
    {
      kind: 'search',
      request: { ...DEFAULT_SEARCH_REQUEST, ...request },
      requestUid: 'x',
      spentMs: 0,
    },
    snapshotKey,
  );
const LONG_MS = 5;

/** Of the first try. */
const BUDGET_MS = 6;

it('knows nothing of a shape until such work has been done, on that index, in any generation', () => {
  const estimates = new WorkEstimates(LONG_MS);
  const asked = estimates.of(search({ q: 'star wars' }));
  expect(asked.grantMs()).toBe(0);
  asked.took(1);
  expect(estimates.of(search({ q: 'lost city' })).grantMs()).toBe(BUDGET_MS);
  expect(estimates.of(search({ q: 'lost city' }, '1:2')).grantMs()).toBe(BUDGET_MS);
  expect(estimates.of(search({ q: 'lost city' }, '2:1')).grantMs()).toBe(0);
});

it('believes one long search at once, and after some short ones that such work is short', () => {
  const estimates = new WorkEstimates(LONG_MS);
  for (let i = 0; i < 50; i++) estimates.of(search({ q: `star wars${i}` })).took(1);
  estimates.of(search({ q: 'long waits' })).took(2000);
  const isLong = (): boolean => estimates.of(search({ q: 'next wars' })).grantMs() === 0;
  expect(isLong()).toBe(true);
  let shorts = 0;
  for (; isLong() && shorts < 1000; shorts++)
    estimates.of(search({ q: `lost cities${shorts}` })).took(1);
  expect(shorts).toBeGreaterThan(0);
  expect(shorts).toBeLessThan(10);
});

it('knows a question, whatever its shape took', () => {
  const estimates = new WorkEstimates(LONG_MS);
  estimates.of(search({ q: 'star wars' })).took(1);
  for (let i = 0; i < 50; i++) estimates.of(search({ q: `long waits${i}` })).took(2000);
  expect(estimates.of(search({ q: 'star wars' })).grantMs()).toBe(BUDGET_MS);
  expect(estimates.of(search({ q: 'next wars' })).grantMs()).toBe(0);
});

/** Which of many times a search is tried in place, and with how much time, when each try fails. */
function triesOf(asideMs: number, questionOfTry: (i: number) => string): [number, number][] {
  const estimates = new WorkEstimates(LONG_MS);
  estimates.of(search({ q: questionOfTry(-1) })).took(asideMs);
  const tries: [number, number][] = [];
  for (let i = 0; i < 512; i++) {
    const asked = estimates.of(search({ q: questionOfTry(i) }));
    const budgetMs = asked.grantMs();
    if (budgetMs > 0) {
      tries.push([i, budgetMs]);
      asked.tried(false);
    }
    asked.took(asideMs);
  }
  return tries;
}

it('tries a question that was long again, ever more rarely while it stays long', () => {
  const tries = triesOf(2000, () => 'long waits');
  expect(tries.map(([at]) => at)).toEqual([
    ...[0, 2, 6, 14, 30, 62, 126],
    ...[190, 254, 318, 382, 446, 510],
  ]);
  expect(new Set(tries.map(([, budgetMs]) => budgetMs))).toEqual(new Set([BUDGET_MS]));
});

it('never tries another question of a shape that is long', () => {
  expect(triesOf(2000, (i) => `word${100 + i}`)).toEqual([]);
});

it('gives what is short aside alone more time, and tries it ever more rarely when that fails, too', () => {
  for (const question of [() => 'star wars', (i: number) => `word${100 + i}`]) {
    const tries = triesOf(1, question);
    expect(tries.slice(0, 4)).toEqual([
      [0, BUDGET_MS],
      [1, BUDGET_MS],
      [3, 2 * LONG_MS],
      [7, 2 * LONG_MS],
    ]);
    expect(tries.length).toBeLessThan(16);
  }
});

it('trusts what was short in place', () => {
  const estimates = new WorkEstimates(LONG_MS);
  const task = search({ q: 'long waits' });
  estimates.of(task).took(2000);
  estimates.of(task).tried(false);
  estimates.of(task).took(1);
  estimates.of(task).tried(true);
  for (let i = 0; i < 10; i++) {
    const asked = estimates.of(task);
    expect(asked.grantMs()).toBe(BUDGET_MS);
    asked.took(1);
  }
});

it('remembers a bounded number of shapes and questions, the latest', () => {
  const estimates = new WorkEstimates(LONG_MS);
  for (let index = 0; index < 10_000; index++)
    estimates.of(search({ q: 'a' }, `${index}:1`)).took(1);
  expect(estimates.of(search({ q: 'a' }, '0:1')).grantMs()).toBe(0);
  expect(estimates.of(search({ q: 'a' }, '9999:1')).grantMs()).toBe(BUDGET_MS);
});
