/**
 * The serving threads of a front: started together, each linked to the main thread. One that meets
 * a bug says so, gets no more connections, ends, and starts again; one that just vanishes may have
 * left memory that the HTTP library still looks at, so the process has to end with it.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LogLevels } from '../../observability/log-levels.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metric } from '../../observability/metric.ts';
import { type LinkHandlers, ThreadLink } from '../threads/thread-link.ts';
import { YOUNG_GENERATION_MB } from '../threads/thread-pool.ts';
import type {
  MainNews,
  MainRequests,
  ServingNews,
  ServingRequests,
  ServingThreadData,
} from './serving-protocol.ts';

type Link = ThreadLink<ServingRequests, MainRequests, MainNews, ServingNews>;

export interface ServingThreadsOptions<Config> {
  readonly entry: URL;
  readonly count: number;
  readonly data: Omit<ServingThreadData<Config>, 'isFirst'>;
  readonly handlers: Omit<LinkHandlers<MainRequests>, 'metricsOfAll'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Hears the lines of the main thread for whoever listens; the result ends that. */
  readonly listenToMain: (
    levels: LogLevels,
    hear: (line: ServingNews['logLine']) => void,
  ) => () => void;
  readonly onLevels: (levels: LogLevels) => void;
  readonly onJoin: (descriptor: unknown) => void;
  readonly onLeave: (descriptor: unknown) => void;
  /** A thread is gone without a word, or does not start. */
  readonly onLost: (error: Error) => void;
}

interface Thread {
  readonly ordinal: number;
  readonly worker: Worker;
  readonly link: Link;
  /** While it may be given connections. */
  descriptor: unknown;
  hasJoined: boolean;
  hasFaulted: boolean;
}

const RESTART_MS_MIN = 100;
const RESTART_MS_MAX = 10_000;
/** After so long without a fault the delay begins at its minimum again. */
const HEALTHY_MS = 60_000;
/** What a thread has counted is left out of a scrape when it takes longer. */
const METRICS_MS_MAX = 1000;

export class ServingThreads<Config> {
  readonly #options: ServingThreadsOptions<Config>;
  readonly #threads = new Set<Thread>();
  /** Who listens to the log. */
  #listener: { readonly thread: Thread; readonly levels: LogLevels; leave: () => void } | null =
    null;
  #restartMs = RESTART_MS_MIN;
  #faultedAtMs = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #whenFirst: { resolve: () => void } = { resolve: () => undefined };

  constructor(options: ServingThreadsOptions<Config>) {
    this.#options = options;
  }

  /** Resolves when one of the threads has joined; the others follow. */
  start(): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.#whenFirst = { resolve };
    });
    for (let ordinal = 0; ordinal < this.#options.count; ordinal++) this.#begin(ordinal);
    return joined;
  }

  get threadIds(): ReadonlySet<number> {
    return new Set([...this.#threads].map(({ worker }) => worker.threadId));
  }

  /** The thread that tells what the process has counted, once in a scrape of all threads. */
  get #spokesman(): Thread | undefined {
    return [...this.#threads].find(({ descriptor }) => descriptor !== null);
  }

  /** What each thread has counted. */
  async metrics(): Promise<readonly Metric[]> {
    const answers = [...this.#threads].map(({ link }) => link.ask('metrics', null));
    const inTime = answers.map((answer) => Promise.race([answer, after(METRICS_MS_MAX)]));
    const settled = await Promise.allSettled(inTime);
    return settled.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []));
  }

  /** Resolves when every thread has answered what it accepted, or after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const stopped = [...this.#threads].map(({ link }) => link.ask('stop', null));
    await Promise.race([Promise.allSettled(stopped), after(graceMs)]);
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #begin(ordinal: number): void {
    const { entry, data, handlers, onLevels } = this.#options;
    const workerData: ServingThreadData<Config> = { ...data, isFirst: ordinal === 0 };
    const worker = new Worker(entry, {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const link: Link = new ThreadLink<ServingRequests, MainRequests, MainNews, ServingNews>({
      port: worker,
      handlers: {
        ...handlers,
        metricsOfMain: (argument, caller) =>
          this.#spokesman === thread ? handlers.metricsOfMain(argument, caller) : [],
        metricsOfAll: async (argument, caller) => [
          ...(await handlers.metricsOfMain(argument, caller)),
          ...(await this.metrics()),
        ],
      },
      onNews: {
        joined: ({ descriptor }) => this.#join(thread, descriptor),
        faulted: ({ error }) => this.#dismiss(thread, error),
        listen: (levels) => this.#listen(thread, levels),
        logLine: (line) => this.#listener?.thread.link.tell('logLine', line),
        levelsChanged: onLevels,
      },
      onBug: (error) => this.#options.log.error({ err: error }, 'a serving thread was refused'),
      transferred: bodyOf,
    });
    const thread: Thread = {
      ordinal,
      worker,
      link,
      descriptor: null,
      hasJoined: false,
      hasFaulted: false,
    };
    this.#threads.add(thread);
    worker.on('error', (error: Error) =>
      this.#options.log.error({ err: error }, 'a serving thread failed'),
    );
    void once(worker, 'exit').then(() => this.#ended(thread));
  }

  #join(thread: Thread, descriptor: unknown): void {
    if (this.#isStopping) return;
    thread.descriptor = descriptor;
    thread.hasJoined = true;
    this.#options.onJoin(descriptor);
    if (this.#listener !== null) thread.link.tell('listen', this.#listener.levels);
    this.#whenFirst.resolve();
  }

  #dismiss(thread: Thread, error: string): void {
    this.#options.log.error({ reason: error }, 'a serving thread met a bug and starts again');
    thread.hasFaulted = true;
    this.#leave(thread);
    thread.link.tell('dismissed', null);
  }

  #leave(thread: Thread): void {
    if (thread.descriptor !== null) this.#options.onLeave(thread.descriptor);
    thread.descriptor = null;
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread);
    thread.link.close();
    if (this.#listener?.thread === thread) this.#listen(thread, null);
    if (this.#isStopping) return;
    if (!thread.hasFaulted || !thread.hasJoined) {
      this.#options.onLost(new Error('a serving thread has ended unexpectedly'));
      return;
    }
    const nowMs = performance.now();
    if (nowMs - this.#faultedAtMs > HEALTHY_MS) this.#restartMs = RESTART_MS_MIN;
    this.#faultedAtMs = nowMs;
    setTimeout(() => {
      if (!this.#isStopping) this.#begin(thread.ordinal);
    }, this.#restartMs);
    this.#restartMs = Math.min(this.#restartMs * 2, RESTART_MS_MAX);
  }

  /** Of all listeners the last one counts: an instance has one stream of its log. */
  #listen(thread: Thread, levels: LogLevels | null): void {
    if (levels === null && this.#listener?.thread !== thread) return;
    this.#listener?.leave();
    const hear = (line: ServingNews['logLine']) => thread.link.tell('logLine', line);
    this.#listener =
      levels === null ? null : { thread, levels, leave: this.#options.listenToMain(levels, hear) };
    for (const other of this.#threads) if (other !== thread) other.link.tell('listen', levels);
  }
}

const after = (milliseconds: number): Promise<null> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, null).unref());

/** A finished answer goes over as it is when nothing else shares its buffer. */
function bodyOf(answer: unknown): ArrayBuffer[] {
  const body = (answer as { body?: Uint8Array } | null)?.body;
  if (!(body instanceof Uint8Array) || !(body.buffer instanceof ArrayBuffer)) return [];
  return body.byteLength === body.buffer.byteLength ? [body.buffer] : [];
}
