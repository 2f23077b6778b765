/** Reads that are sent again while they have no answer. */
import { expect, it } from 'vitest';
import { hedged } from '../../../src/cluster/hedged-call.ts';

const never = () => new Promise<string>(() => undefined);
const answered = async () => 'log/9';
const failing = (message: string) => () => Promise.reject(new Error(message));

/** @param calls what happens to each call, in their order */
function called(calls: readonly (() => Promise<string>)[], afterMs: number) {
  let count = 0;
  const answer = hedged(() => (calls[count++] ?? never)(), afterMs);
  return { answer, count: () => count };
}

it('is sent once if it is answered', async () => {
  const { answer, count } = called([answered], 60_000);
  expect(await answer).toBe('log/9');
  expect(count()).toBe(1);
});

it('is sent again while calls before it hang, three times at most', async () => {
  const { answer, count } = called([never, never, answered], 1);
  expect(await answer).toBe('log/9');
  expect(count()).toBe(3);
});

it('fails when all calls have failed', async () => {
  await expect(called([failing('away')], 60_000).answer).rejects.toThrow('away');
  const late = new Promise<never>((_, reject) => setImmediate(() => reject(new Error('late'))));
  const { answer } = called([() => late, failing('away'), failing('away')], 0);
  await expect(answer).rejects.toThrow(/late|away/);
});
