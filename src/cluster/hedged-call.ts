/**
 * A read that is sent again while it has no answer: a connection may hang for as long as a request may
 * take (15 s), longer than a takeover.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const CALLS_MAX = 3;

/**
 * The first answer. @param afterMs time without an answer until the next call, in milliseconds
 * @throws the error of the first call if all calls fail
 */
export async function hedged<Result extends {}>(
  call: () => Promise<Result>,
  afterMs: number,
): Promise<Result> {
  const calls = [call()];
  for (;;) {
    const answer = Promise.any(calls).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
    if (calls.length === CALLS_MAX) return answer;
    const early = await Promise.race([answer, sleep(afterMs, null, { ref: false })]);
    if (early !== null) return early;
    calls.push(call());
  }
}
