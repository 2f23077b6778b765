/**
 * Result of a thread's task as plain data: keeps the code of an expected error, which an
 * exception loses between threads.
 */
import { ApiError, fromWire, toWire, type WireError } from '../../core/errors.ts';

export type ThreadOutcome<Value> = { readonly value: Value } | { readonly error: WireError };

/**
 * Wraps the function so that its `ApiError` becomes an outcome.
 * @param toKnown converts expected errors, returns all other errors unchanged
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
