/**
 * Group commit: while one group of writes is being committed, the next group collects. Concurrent
 * writers share a commit, and a single writer waits for no timer.
 */
import type { Survival, WriteOperation } from './key-value-store.ts';

/** Operations in one group: bounds the latency of the first write of the group. */
const GROUP_OPERATIONS_MAX = 8192;
/**
 * Value bytes in one group: bounds the bytes that a write copies. A single larger write forms its
 * own group.
 */
const GROUP_BYTES_MAX = 4 << 20;

export interface GroupedWrite {
  readonly operations: readonly WriteOperation[];
  readonly survival: Survival;
}

interface Waiter extends GroupedWrite {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface GroupCommitOptions {
  /** Applies all operations of the group or none. */
  readonly apply: (group: readonly GroupedWrite[]) => Promise<void>;
  /** Turns the failure of a group into the error of its writes. */
  readonly toError: (error: unknown) => unknown;
}

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiter[] = [];
  #writer: Promise<void> | null = null;
  #failure: Error | null = null;
  #isClosed = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Promises resolve in the order of the calls. After a failure every later write is refused. */
  write(operations: readonly WriteOperation[], survival: Survival): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'));
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, survival, resolve, reject });
      this.#writer ??= this.#writeGroups();
    });
  }

  /** Refuses later writes and waits for pending ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writer;
  }

  async #writeGroups(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        const isEmpty = group.every(({ operations }) => operations.length === 0);
        // Always awaits: the loop must not end before its promise is assigned to `#writer`.
        await (isEmpty ? undefined : this.#options.apply(group));
        for (const waiter of group) waiter.resolve();
      } catch (error) {
        this.#fail(error, group);
      }
    }
    this.#writer = null;
  }

  #takeGroup(): Waiter[] {
    let operationCount = 0;
    let bytes = 0;
    let end = 0;
    for (const { operations } of this.#waiting) {
      operationCount += operations.length;
      bytes += valueBytes(operations);
      if (end > 0 && (operationCount > GROUP_OPERATIONS_MAX || bytes > GROUP_BYTES_MAX)) break;
      end++;
    }
    return this.#waiting.splice(0, end);
  }

  #fail(error: unknown, group: readonly Waiter[]): void {
    this.#failure = new Error('the store failed before and must be reopened', { cause: error });
    const cause = this.#options.toError(error);
    for (const waiter of [...group, ...this.#waiting]) waiter.reject(cause);
    this.#waiting = [];
  }
}

export function* groupedOperations(group: readonly GroupedWrite[]): Generator<WriteOperation> {
  for (const { operations } of group) yield* operations;
}

export function valueBytes(operations: readonly WriteOperation[]): number {
  let bytes = 0;
  for (const operation of operations) if (operation.kind === 'put') bytes += operation.value.length;
  return bytes;
}
