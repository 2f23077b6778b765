/**
 * Entry of a serving thread of a front: has a share of the connections and everything to answer
 * them, searches included.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MessagePort, parentPort, threadId, workerData } from 'node:worker_threads';
import type { Config } from '../config/load.ts';
import { routes } from '../src/api/routes/index.ts';
import { ThreadEmbedder } from '../src/embedding/thread/thread-embedder.ts';
import { threadClock } from '../src/host/thread-clock.ts';
import { serveShare } from '../src/http/server.ts';
import { QueryDesk } from '../src/ipc/queries/query-desk.ts';
import type { QueryPool } from '../src/ipc/queries/query-pool.ts';
import type { QueryTask } from '../src/ipc/queries/query-protocol.ts';
import { FrontProgress } from '../src/ipc/serving/front-progress.ts';
import {
  asideThreadsAtFirst,
  type MainNews,
  type MainRequests,
  type ServingNews,
  type ServingRequests,
  type ServingThreadData,
} from '../src/ipc/serving/serving-protocol.ts';
import { ThreadLink } from '../src/ipc/threads/thread-link.ts';
import { createLogger, type LogLine, type ProcessLogger } from '../src/observability/logger.ts';
import type { Metric } from '../src/observability/metric.ts';
import { threadMetrics } from '../src/observability/process-figures.ts';
import { ThreadFigures } from '../src/observability/query-figures.ts';
import { mappedRangeBytes } from '../src/storage/files/mapped-ranges.ts';
import { renewIn } from './front-renewal.ts';
import { startFrontService } from './front-service.ts';
import { askBeforeServing, beginFrontWarmUp, type WarmUpPool } from './front-warm-up.ts';
import { QueryWorker } from './query-work.ts';

type Link = ThreadLink<MainRequests, ServingRequests, ServingNews, MainNews>;

const DRAIN_MS = 10_000;
const EXIT_FAULT = 1;

const { config, isFirst, ...memory } = workerData as ServingThreadData<Config>;
const askedCount = new Int32Array(memory.askedCount);
const log = createLogger({ level: config.logLevel, mode: config.logsMode, name: 'front' });
const worker = new QueryWorker({
  cacheBytes: config.queryCacheSize,
  slowSearchMs: config.slowSearchMs,
  figures: new ThreadFigures(memory.figures, threadId),
  processorMs: threadClock(),
});

let stopListening = (): void => undefined;
let hearOthers: (line: LogLine) => void = () => undefined;
let stop = async (): Promise<void> => undefined;
let end = (): void => process.exit(EXIT_FAULT);

const link: Link = new ThreadLink<MainRequests, ServingRequests, ServingNews, MainNews>({
  port: parentPort as MessagePort,
  handlers: {
    metrics: () => metrics(),
    stop: async () => {
      await stop();
      return null;
    },
  },
  onNews: {
    dismissed: () => end(),
    listen: (levels) => {
      stopListening();
      stopListening =
        levels === null
          ? () => undefined
          : log.listen(levels, (line) => link.tell('logLine', line));
    },
    logLine: (line) => hearOthers(line),
  },
  onBug: (error) => log.error({ err: error }, 'a request of the main thread failed'),
});

/** The log of all threads of this front. */
const logSource: Pick<ProcessLogger, 'listen' | 'setLevels'> = {
  setLevels(levels) {
    log.setLevels(levels);
    if (isFirst) link.tell('levelsChanged', levels);
  },
  listen(levels, hear) {
    const leave = log.listen(levels, hear);
    hearOthers = hear;
    link.tell('listen', levels);
    return () => {
      leave();
      hearOthers = () => undefined;
      link.tell('listen', null);
    };
  },
};

const desk: QueryDesk = new QueryDesk({
  answerWithin: (task, budgetMs) => worker.answerWithin(task, budgetMs),
  aside: (task, caller) => link.ask('search', { task, keyUid: caller?.keyUid ?? null }, caller),
  waitingMax: Math.ceil(config.searchQueueSize / config.servingThreads),
  dropAfterMs: config.dropSearchAfterMs,
  onAsked: () => Atomics.add(askedCount, 0, 1),
  onBug: (error) => log.error({ err: error }, 'a search failed'),
});

const madeWork = madeWorkPool();
const service = startFrontService({
  config,
  log,
  logSource,
  queries: desk,
  services: config.servingThreads,
  progress: new FrontProgress(memory.progress),
  onPublished: (published) => void renewIn(madeWork, 1, published),
  guesses: memory.guesses,
  keyRates: memory.keyRates,
  embedderOf: (settings) =>
    new ThreadEmbedder(settings, (name, task) =>
      link.ask('embed', { name, task }, null, [task.port]),
    ),
  payloads: { check: (task) => link.ask('checkPayload', task) },
  metrics: async () => [...metrics(), ...(await link.ask('metricsOfMain', null))],
  metricsOfFront: () => link.ask('metricsOfAll', null),
});

const metrics = (): Metric[] => [
  ...service.counted(),
  ...desk.metrics(),
  ...threadMetrics('front', mappedRangeBytes()),
];

/** Made work is done here, and for the first thread also by those aside. */
function madeWorkPool(): WarmUpPool & Pick<QueryPool, 'waitingCount'> {
  let madeCount = 0;
  return {
    get waitingCount() {
      return desk.waitingCount;
    },
    get askedCount() {
      return Atomics.load(askedCount, 0) + madeCount;
    },
    async run(task: QueryTask) {
      madeCount++;
      await nextTurn();
      const asideCount = isFirst ? asideThreadsAtFirst(config.queryThreads) : 0;
      const aside = Array.from({ length: asideCount }, () =>
        link.ask('search', { task, keyUid: null }),
      );
      const reply = worker.answer(task);
      await Promise.all(aside);
      return reply;
    },
  };
}

const warmUp = new AbortController();
stop = async () => warmUp.abort();
const toWarm = { context: service.context, pool: madeWork, threads: 1 };
await service.whenReady();
await askBeforeServing({ ...toWarm, config }, log, warmUp.signal);
const share = await serveShare(routes, service.context);
stop = async () => {
  warmUp.abort();
  await share.close(DRAIN_MS);
  await service.close();
};
end = () => {
  void share.close(0).finally(() => process.exit(EXIT_FAULT));
};
process.on('uncaughtException', (error) => {
  log.error({ err: error }, 'a serving thread met a bug');
  link.tell('faulted', { error: String(error) });
});
link.tell('joined', { descriptor: share.descriptor });
if (!config.noWarmUp) beginFrontWarmUp(toWarm, log, warmUp.signal);
