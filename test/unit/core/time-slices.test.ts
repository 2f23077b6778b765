/** Long work on an event loop gives turns to other work and ends with its request. */
import { expect, it } from 'vitest';
import { TimeSlices } from '../../../src/core/time-slices.ts';

it('a slice of 10 ms lets the event loop turn, and ends with the reason of the request', async () => {
  let nowMs = 0;
  let turns = 0;
  const end = new AbortController();
  const slices = new TimeSlices(() => nowMs, end);
  setImmediate(() => {
    turns += 1;
  });
  await slices.between();
  expect(turns).toBe(0);
  nowMs = 10;
  await slices.between();
  expect(turns).toBe(1);
  nowMs = 15;
  end.abort(new Error('the client left'));
  await slices.between();
  nowMs = 20;
  await expect(slices.between()).rejects.toThrow('the client left');
});

it('short steps look at the clock once in 64', () => {
  let looks = 0;
  const slices = new TimeSlices(() => 10 * looks++, {});
  const over = Array.from({ length: 128 }, () => slices.isOver);
  expect(looks).toBe(3);
  expect(over.flatMap((isOver, i) => (isOver ? [i] : []))).toEqual([63, 127]);
});
