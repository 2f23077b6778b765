/**
 * Part of a front, however it serves: its query pool, what its start waits for, where it is reached
 * or why it is not, and how long its end may take.
 */
import type { Config } from '../config/load.ts';
import { QueryPool, type QueryPoolOptions } from '../src/ipc/queries/query-pool.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import type { QueryFigures } from '../src/observability/query-figures.ts';
import type { StartSignals } from '../src/runtime/host-role.ts';
import { toStartFailure } from '../src/runtime/start-failure.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';

/** For requests that were accepted before the end. */
export const DRAIN_MS = 10_000;

/** @param own what the pool of a way of serving has of its own */
export const createQueryPool = (
  config: Config,
  figures: QueryFigures,
  log: ProcessLogger,
  own: Pick<QueryPoolOptions, 'cacheBytes'> & Partial<QueryPoolOptions>,
): QueryPool =>
  new QueryPool({
    entry: workerUrls.query.href,
    threads: config.queryThreads,
    figures,
    slowSearchMs: config.slowSearchMs,
    perThread: config.nbSearchesPerCore,
    queueSize: config.searchQueueSize,
    dropAfterMs: config.dropSearchAfterMs,
    onBug: (error) => log.error({ err: error }, 'a query thread failed'),
    ...own,
  });

/** The error of an address that cannot be listened at, for the user. */
export const listenFailure = ({ http: { host, port } }: Config, error: unknown): unknown =>
  toStartFailure(error, `address ${host}:${port}`, '--http-addr');

/** Rejects when the front must end before it serves; else never settles. */
export function untilStopped({ signal }: StartSignals): Promise<never> {
  return new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('stopped before it served'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

export const urlOf = ({ sslCertPath, http: { host } }: Config, port: number): string =>
  `${sslCertPath === null ? 'http' : 'https'}://${host}:${port}`;
