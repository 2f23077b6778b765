/** Runs asynchronous work with bounded concurrency. */

/** A counting semaphore; waiting work starts in FIFO order. */
export class Semaphore {
  #running = 0;
  readonly #waiting: { readonly countMax: number; readonly begin: () => void }[] = [];

  /** Runs the work once fewer than `countMax` other calls run. */
  async run<Result>(countMax: number, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ countMax, begin });
      this.#beginNext();
    });
    try {
      return await work();
    } finally {
      this.#running--;
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || this.#running >= next.countMax) return;
      this.#waiting.shift();
      this.#running++;
      next.begin();
    }
  }
}

/**
 * Results in the order of `items`. After a failure no further item is started. Of several failures
 * the one of the first item in `items` is thrown, independent of time.
 */
export async function mapInParallel<Item, Result>(
  items: readonly Item[],
  countMax: number,
  run: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  const failures: { readonly at: number; readonly error: unknown }[] = [];
  const waiting = items.entries();
  const lane = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = waiting.next();
      if (next.done) return;
      const [at, item] = next.value;
      try {
        results.set(at, await run(item, at));
      } catch (error) {
        failures.push({ at, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(countMax, items.length) }, lane));
  if (failures.length > 0)
    throw failures.reduce((first, other) => (other.at < first.at ? other : first)).error;
  return items.map((_, at) => results.get(at) as Result);
}
