/**
 * A client that does nothing wrong while an attack runs: it searches with a key of its own and
 * calls GET /health, one request at a time each. It has a thread of its own, so that the work of the
 * attacker delays none of its clocks. This file is that thread, too.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { madeSearch, SEARCH_PATH } from '../../bench/keyed-texts.ts';
import { RequestSender } from './send-request.ts';

const SEARCH_PAUSE_MS = 20;
const HEALTH_PAUSE_MS = 50;
const SAMPLES_SHOWN = 3;

export interface Seen {
  /** Milliseconds of each request that was answered with 200. */
  readonly searches: readonly number[];
  readonly health: readonly number[];
  readonly failedCount: number;
  /** The first of the other answers. */
  readonly failed: readonly string[];
}

interface Order {
  readonly port: number;
  readonly key: string;
}

export class Bystander {
  readonly #thread = new Worker(new URL(import.meta.url));

  /** Resolves after the first search. */
  async start(order: Order): Promise<void> {
    this.#thread.postMessage(order);
    await once(this.#thread, 'message');
  }

  /** Ends the searches. @returns everything seen since `start` */
  async stop(): Promise<Seen> {
    this.#thread.postMessage(null);
    const [seen] = (await once(this.#thread, 'message')) as [Seen];
    return seen;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

/** Resolves some time after the signal. @param onBegun called after the first search */
async function watch({ port, key }: Order, end: AbortSignal, onBegun: () => void): Promise<Seen> {
  const sender = new RequestSender(port, key);
  const searches: number[] = [];
  const health: number[] = [];
  const failed: string[] = [];
  let failedCount = 0;
  const call = async (path: string, body: string | undefined, times: number[]): Promise<void> => {
    const { status, code, ms } = await sender.send({ path, body });
    if (status === 200) times.push(ms);
    else if (failedCount++ < SAMPLES_SHOWN) failed.push(`${path}: ${status} ${code}`);
  };
  const search = () => call(SEARCH_PATH, madeSearch(), searches);
  const checkHealth = () => call('/health', undefined, health);
  const repeat = async (work: () => Promise<void>, pauseMs: number): Promise<void> => {
    for (; !end.aborted; await sleep(pauseMs)) await work();
  };
  await search();
  onBegun();
  await Promise.all([repeat(search, SEARCH_PAUSE_MS), repeat(checkHealth, HEALTH_PAUSE_MS)]);
  sender.close();
  return { searches, health, failedCount, failed };
}

if (!isMainThread) {
  let end = new AbortController();
  parentPort?.on('message', async (order: Order | null) => {
    end.abort();
    if (order === null) return;
    end = new AbortController();
    parentPort?.postMessage(await watch(order, end.signal, () => parentPort?.postMessage('begun')));
  });
}
