/**
 * A client that does nothing wrong while an attack runs: it searches with a key of its own and
 * calls GET /health, one request at a time each. Where times are judged it is a process of its own, so
 * that the work of the attacker delays none of its clocks. Run as a process it is that client.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
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
  /** Ends the client. @returns everything it has seen */
  readonly stop: () => Promise<Seen>;

  private constructor(stop: () => Promise<Seen>) {
    this.stop = stop;
  }

  /** Resolves after its first search. */
  static async start(order: Order): Promise<Bystander> {
    const child = fork(fileURLToPath(import.meta.url));
    child.send(order);
    await nextMessage(child);
    return new Bystander(async () => {
      const seen = nextMessage(child);
      child.send('end');
      const message = (await seen) as Seen;
      child.disconnect();
      return message;
    });
  }

  /** In this process, for a run that judges no times. Resolves after its first search. */
  static async startHere(order: Order): Promise<Bystander> {
    const end = new AbortController();
    let seen: Promise<Seen> | null = null;
    await new Promise<void>((begun, fail) => {
      seen = watch(order, end.signal, begun);
      seen.catch(fail);
    });
    return new Bystander(() => {
      end.abort();
      return seen as Promise<Seen>;
    });
  }
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((done, fail) => {
    const onExit = (code: number | null): void => fail(new Error(`bystander ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      done(message);
    });
  });
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

async function obey(order: Order): Promise<void> {
  const end = new AbortController();
  process.once('message', () => end.abort());
  process.send?.(await watch(order, end.signal, () => process.send?.('begun')));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.once('message', (order: Order) => void obey(order));
