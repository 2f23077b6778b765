/**
 * What a task of an indexing thread came to, as plain data: an error that is expected keeps its
 * code on the way between threads, which an exception would lose.
 */
import { ApiError, fromWire, toWire, type WireError } from '../../core/errors.ts';

export type ThreadOutcome<Value> = { readonly value: Value } | { readonly error: WireError };

/**
 * The same work, whose `ApiError` is an outcome.
 * @param toKnown makes one of an error that is expected; others as they are
 */
export const withOutcome =
  <Task, Value>(work: (task: Task) => Promise<Value>, toKnown: (error: unknown) => unknown) =>
  async (task: Task): Promise<ThreadOutcome<Value>> => {
    try {
      return { value: await work(task) };
    } catch (cause) {
      const error = toKnown(cause);
      if (error instanceof ApiError) return { error: toWire(error) };
      throw error;
    }
  };

/** @throws ApiError of the thread */
export function valueOfOutcome<Value>(outcome: ThreadOutcome<Value>): Value {
  if ('error' in outcome) throw fromWire(outcome.error);
  return outcome.value;
}
