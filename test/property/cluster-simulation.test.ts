/**
 * Thousands of histories of several nodes on one store: no acknowledged task is lost or applied twice,
 * no uid is given twice, and every reader ends with the state of the writer.
 *
 * `CLUSTER_SEED=123 npx vitest run test/property/cluster-simulation.test.ts` replays one history.
 */
import { expect, it } from 'vitest';
import { ACTUAL, simulate } from '../support/cluster-simulation/simulation.ts';
import { amount } from '../support/run-length.ts';

const HISTORIES = amount(1000, 1_000_000);
const { CLUSTER_SEED: replayed } = process.env;

it('no history loses or repeats an acknowledged task, and all readers agree in the end', {
  timeout: 7_200_000,
}, () => {
  const [first, count] = replayed === undefined ? [0, HISTORIES] : [Number(replayed), 1];
  let [acknowledged, takeovers] = [0, 0];
  for (let seed = first; seed < first + count; seed++) {
    const history = simulate(seed);
    if (history.violation !== null) expect.fail(`CLUSTER_SEED=${seed}: ${history.violation}`);
    acknowledged += history.acknowledged;
    takeovers += history.takeovers;
  }
  expect(acknowledged / count).toBeGreaterThan(10);
  if (count > 1) expect(takeovers / count).toBeGreaterThan(0.5);
});

it('a seed decides a history', () => {
  expect(simulate(7)).toEqual(simulate(7));
});

/** True if one of the first histories shows it. */
const finds = (violation: string, options: Parameters<typeof simulate>[1]): boolean =>
  Array.from({ length: 1000 }, (_, seed) => seed).some((seed) =>
    simulate(seed, options).violation?.includes(violation),
  );

it('finds tasks that a paused writer without its guard loses', () => {
  expect(finds('lost', { ...ACTUAL, isGuarded: false })).toBe(true);
});

it('finds requests that a careless node enqueues twice', () => {
  expect(finds('enqueued twice', { ...ACTUAL, isCareful: false })).toBe(true);
});

it('a node that returns interrupts few takeovers: it looks for them before it writes', () => {
  const interruptions = (seesOpenings: boolean): number => {
    let count = 0;
    for (let seed = 0; seed < 500; seed++)
      count += simulate(seed, { ...ACTUAL, seesOpenings }).interruptions;
    return count;
  };
  const ignored = interruptions(false);
  expect(ignored).toBeGreaterThan(20);
  // A takeover that begins between the look and the opening remains.
  expect(interruptions(true)).toBeLessThan(ignored / 2);
});
