/** Runs asynchronous work over a list, a bounded number at a time. */

/**
 * Results in the order of `items`. After a failure nothing more is started; of several failures the
 * one that stands first in `items` is thrown, whichever came first in time.
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
