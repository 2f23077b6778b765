/** Turns of a loop: one a round, key by key, with a bound and a word on when to come back. */
import { expect, it } from 'vitest';
import { LoopTurns, type LoopTurnsOptions } from '../../../../src/ipc/queries/loop-turns.ts';
import { QueuePace } from '../../../../src/ipc/queries/queue-pace.ts';

/** A loop whose rounds a test makes. */
function madeLoop(own: Partial<LoopTurnsOptions> = {}) {
  const rounds: (() => void)[] = [];
  const turns = new LoopTurns({
    waitingMax: 100,
    dropAfterMs: 60_000,
    nextRound: (run) => void rounds.push(run),
    ...own,
  });
  const order: string[] = [];
  const ask = (keyUid: string, name = keyUid, isAborted = false): void => {
    const turn = turns.take({ keyUid, isAborted });
    if (turn === null) order.push(name);
    else
      turn.then(
        () => order.push(name),
        (error) => order.push(`${name} ${error.code}`),
      );
  };
  const round = async (count = 1) => {
    for (let i = 0; i < count; i++) {
      for (const run of rounds.splice(0)) run();
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return { turns, order, ask, round, rounds };
}

it('lets the first go at once, and the next when the loop has come round', async () => {
  const { order, ask, round } = madeLoop();
  ask('a', 'first');
  ask('a', 'second');
  ask('a', 'third');
  expect(order).toEqual(['first']);
  await round();
  expect(order).toEqual(['first', 'second']);
  await round(2);
  ask('a', 'much later');
  expect(order).toEqual(['first', 'second', 'third', 'much later']);
});

it('lets a calm key wait for one of a flood, not for the flood', async () => {
  const { order, ask, round } = madeLoop();
  for (let i = 0; i < 50; i++) ask('loud');
  ask('calm');
  await round(2);
  expect(order).toEqual(['loud', 'calm', 'loud']);
});

it('passes by who has left, and refuses who has waited too long', async () => {
  const { order, ask, round } = madeLoop();
  ask('a', 'first');
  ask('a', 'gone', true);
  ask('a', 'second');
  await round();
  expect(order.sort()).toEqual(['first', 'gone internal', 'second']);
  const late = madeLoop({ dropAfterMs: -1 });
  late.ask('a', 'first');
  late.ask('a', 'late');
  await late.round();
  expect(late.order).toEqual(['first', 'late too_many_search_requests']);
});

it('refuses the key that has most in a full queue', async () => {
  const { turns, order, ask, round } = madeLoop({ waitingMax: 3 });
  for (const name of ['1', '2', '3', '4', '5']) ask('loud', name);
  ask('calm');
  await round();
  expect(turns.waitingCount).toBe(2);
  expect(order).toEqual(['1', '5 too_many_search_requests', '4 too_many_search_requests', 'calm']);
});

it('tells from the pace of a queue when to come back', () => {
  const pace = new QueuePace();
  expect(pace.retryAfterMs(50)).toBe(1000);
  for (let ms = 0; ms <= 1000; ms += 100) pace.ended(ms, true);
  expect(pace.retryAfterMs(50)).toBeCloseTo(5000, 5);
  expect(pace.retryAfterMs(5000)).toBe(60_000);
  pace.ended(1100, false);
  pace.ended(90_000, true);
  expect(pace.retryAfterMs(50)).toBeCloseTo(5000, 5);
});
