/** Polls of SlateDB's futures: on other threads, three at a time, in their order. */
import { expect, it } from 'vitest';
import type { NativeCalls, NativeFunction } from '../../../../src/storage/database/native-calls.ts';
import { withPollsElsewhere } from '../../../../src/storage/database/slatedb-polls.ts';

/** A native library whose asynchronous calls end when the test ends them. */
function fakeCalls() {
  const started: unknown[] = [];
  const ends: (() => void)[] = [];
  const func = (name: string): NativeFunction =>
    Object.assign((...parameters: readonly unknown[]) => `${name} here ${parameters.join()}`, {
      async: (...parameters: readonly unknown[]) => {
        started.push(parameters[0]);
        ends.push(parameters.at(-1) as () => void);
      },
    });
  const calls: NativeCalls = { load: () => ({ func }) };
  return { calls, started, ends };
}

it('polls run elsewhere, three at a time, other calls here', async () => {
  const { calls, started, ends } = fakeCalls();
  const { load } = calls;
  const [poll, other] = await withPollsElsewhere(calls, async () => {
    const library = calls.load('library.so');
    return [
      library.func('ffi_rust_future_poll_u64'),
      library.func('ffi_rust_future_free'),
    ] as const;
  });
  expect(other(7)).toBe('ffi_rust_future_free here 7');
  for (let future = 1; future <= 5; future++) expect(poll(future, 'callback')).toBeUndefined();
  expect(started).toEqual([1, 2, 3]);
  ends.shift()?.();
  expect(started).toEqual([1, 2, 3, 4]);
  while (ends.length > 0) ends.shift()?.();
  expect(started).toEqual([1, 2, 3, 4, 5]);
  expect(calls.load).toBe(load);
});
