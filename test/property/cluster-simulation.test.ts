/**
 * Thousands of histories of several nodes on one store: no acknowledged task is lost or applied twice,
 * no uid is given twice, and every reader ends with the state of the writer.
 *
 * `CLUSTER_SEED=123 npx vitest run test/property/cluster-simulation.test.ts` replays one history.
 */
import { expect, it } from 'vitest';
import { simulate } from '../support/cluster-simulation/simulation.ts';
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
  if (count > 1) expect(takeovers / count).toBeGreaterThan(1);
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
  expect(finds('lost', { isGuarded: false, isCareful: true })).toBe(true);
});

it('finds requests that a careless node enqueues twice', () => {
  expect(finds('enqueued twice', { isGuarded: true, isCareful: false })).toBe(true);
});
