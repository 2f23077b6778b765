/**
 * State of each task posted to a query thread, in memory shared by the pool and its threads. A task
 * can be withdrawn until its thread begins it. It is stopped when the client disconnects, which the
 * thread polls while it works.
 */
const POSTED = 0;
const BEGUN = 1;
const STOPPED = 2;
const WITHDRAWN = 3;

export class StopFlags {
  readonly #states: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.#states = new Int32Array(shared);
  }

  static bytesFor(tasks: number): number {
    return tasks * Int32Array.BYTES_PER_ELEMENT;
  }

  clear(slot: number): void {
    Atomics.store(this.#states, slot, POSTED);
  }

  /** Called by the thread. False = the task was withdrawn. */
  begin(slot: number): boolean {
    return Atomics.compareExchange(this.#states, slot, POSTED, BEGUN) !== WITHDRAWN;
  }

  /** False = the thread has begun the task. */
  withdraw(slot: number): boolean {
    return Atomics.compareExchange(this.#states, slot, POSTED, WITHDRAWN) === POSTED;
  }

  raise(slot: number): void {
    Atomics.store(this.#states, slot, STOPPED);
  }

  isRaised(slot: number): boolean {
    return Atomics.load(this.#states, slot) === STOPPED;
  }
}
