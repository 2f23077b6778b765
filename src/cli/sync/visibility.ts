/**
 * Whether a snapshot of PostgreSQL shows a transaction. A commit is in the log, and in the stream,
 * shortly before other sessions see it; with synchronous replicas, long before. Pure.
 */

const HALF = 2 ** 31;

/**
 * @param transaction its number modulo 2³², as the stream names it
 * @param snapshot `pg_current_snapshot()` as text: xmin:xmax:transactions in progress
 */
export function isVisible(transaction: number, snapshot: string): boolean {
  const [, next = '', running = ''] = snapshot.split(':');
  const distance = (lowerHalf(next) - transaction) >>> 0;
  const isBefore = distance > 0 && distance < HALF;
  return (
    isBefore && !running.split(',').some((one) => one !== '' && lowerHalf(one) === transaction)
  );
}

const lowerHalf = (number: string): number => Number(BigInt.asUintN(32, BigInt(number)));
