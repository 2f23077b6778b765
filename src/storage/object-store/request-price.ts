/** What requests to an object store cost a month, priced as Amazon S3 in `us-east-1`. */

/** Requests by method, as SlateDB names them. */
export type RequestCounts = ReadonlyMap<string, number>;

/** Of one request, by method. Deletions are free. */
const DOLLARS: Readonly<Record<string, number>> = { put: 5e-6, list: 5e-6, get: 4e-7 };
const MONTH_MS = 30 * 24 * 3_600_000;

/**
 * @param clients requests of each client of the store in `elapsedMs`
 * @returns dollars for 30 days at the same rate
 */
export function monthlyPrice(clients: readonly RequestCounts[], elapsedMs: number): number {
  const requests = clients.flatMap((counts) => [...counts]);
  const dollars = requests.reduce(
    (sum, [method, count]) => sum + count * (DOLLARS[method] ?? 0),
    0,
  );
  return elapsedMs > 0 ? (dollars * MONTH_MS) / elapsedMs : 0;
}
