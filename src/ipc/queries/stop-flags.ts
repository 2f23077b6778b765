/**
 * One flag for each task of a query thread, in memory shared by the pool and its threads: set when
 * the client disconnects, polled by the thread while it works.
 */
export class StopFlags {
  readonly #flags: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.#flags = new Int32Array(shared);
  }

  static bytesFor(tasks: number): number {
    return tasks * Int32Array.BYTES_PER_ELEMENT;
  }

  raise(slot: number): void {
    Atomics.store(this.#flags, slot, 1);
  }

  clear(slot: number): void {
    Atomics.store(this.#flags, slot, 0);
  }

  isRaised(slot: number): boolean {
    return Atomics.load(this.#flags, slot) !== 0;
  }
}
