/**
 * Federated searches of many queries, each of which is one task and may hold its thread until the
 * request's deadline. One thread is left to all other tasks. API keys take turns.
 */
import type { ApiError } from '../../core/errors.ts';
import { BoundedQueue, type BoundedQueueOptions, type Waiting } from './bounded-queue.ts';
import type { QueryTask } from './query-protocol.ts';

/** Of all tasks that may wait or run, this part may be wide ones that wait: the rest is for others. */
const WAITING_SHARE = 0.1;
/** More queries make a task wide. A query takes 1 to 30 ms of thread time. */
const NARROW_QUERIES_MAX = 20;

export function isWide({ work, further = [] }: QueryTask): boolean {
  if (work.kind !== 'federated') return false;
  const searches = [work.search, ...further.map(({ search }) => search)];
  return searches.reduce((sum, { queries }) => sum + queries.length, 0) > NARROW_QUERIES_MAX;
}

interface WideTasksOptions extends BoundedQueueOptions {
  readonly threads: number;
}

export class WideTasks<Item extends Waiting> {
  readonly #waiting: BoundedQueue<Item>;
  /** Tasks that may wait or run and are not wide tasks that wait. */
  readonly #othersMax: number;
  readonly #admitted = new Set<Item>();
  readonly #admittedMax: number;

  constructor({ threads, ...options }: WideTasksOptions) {
    const itemsMax = Math.max(1, Math.floor(options.itemsMax * WAITING_SHARE));
    this.#waiting = new BoundedQueue({ ...options, itemsMax });
    this.#othersMax = options.itemsMax - itemsMax;
    this.#admittedMax = Math.max(1, threads - 1);
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** @param takenCount all other tasks that wait or run */
  add(item: Item, takenCount: number): void {
    this.#waiting.add(item, Math.max(0, takenCount - this.#othersMax));
  }

  /** The next task that may compete with all others; undefined if none may now. */
  admit(nowMs: number): Item | undefined {
    if (this.#admitted.size >= this.#admittedMax) return undefined;
    const item = this.#waiting.take(nowMs);
    if (item !== undefined) this.#admitted.add(item);
    return item;
  }

  /** Charges the key of an admitted task `ms` of thread time. */
  charge(item: Item, ms: number): void {
    if (this.#admitted.has(item)) this.#waiting.charge(item.lane, ms);
  }

  /** Call for every task that ends. */
  ended(item: Item): void {
    this.#admitted.delete(item);
  }

  dropUnwanted(nowMs: number): void {
    this.#waiting.dropUnwanted(nowMs);
  }

  rejectAll(error: ApiError): void {
    this.#waiting.rejectAll(error);
  }
}
