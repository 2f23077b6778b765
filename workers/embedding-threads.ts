/**
 * Embedding threads of a process: one for requests to providers, one for inference of local models.
 */
import type { Config } from '../config/load.ts';
import type { RunInThread } from '../src/embedding/thread/ask-thread.ts';
import { ThreadEmbedder, threadPairScores } from '../src/embedding/thread/thread-embedder.ts';
import { EmbeddingPool } from '../src/ipc/threads/embedding-pool.ts';
import type { EmbedderSettings } from '../src/model/embedders/embedder-settings.ts';
import type { ScorePairs } from '../src/model/score-pairs.ts';
import type { Logger } from '../src/observability/logger.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';
import { embedderConfig } from './embedder-environment.ts';
import type { ModelLoaded } from './embedding.ts';

/** Milliseconds without searches after which the thread ends. Loading a model takes a second. */
const LOADED_MODEL_MS = 15 * 60_000;

export interface EmbeddingThreads {
  embedderOf(settings: EmbedderSettings): ThreadEmbedder;
  readonly scorePairs: ScorePairs;
  /** A task of a `ThreadEmbedder` in another thread. */
  readonly run: RunInThread;
  close(): Promise<void>;
}

/** Each thread starts with its first task. */
export function embeddingThreads(config: Config, log: Pick<Logger, 'info'>): EmbeddingThreads {
  const providers = new EmbeddingPool({
    entry: workerUrls.embedding.href,
    data: embedderConfig(config),
  });
  const models = new EmbeddingPool({
    entry: workerUrls.embedding.href,
    data: embedderConfig(config),
    idleMs: LOADED_MODEL_MS,
    onMessage: (said) => tellModel(said as ModelLoaded, log),
  });
  const run: RunInThread = (name, task, transfer) => {
    const pool = isLocal(task.settings) ? models : providers;
    return pool.run(name, task, transfer);
  };
  return {
    embedderOf: (settings) => new ThreadEmbedder(settings, run),
    scorePairs: threadPairScores(run),
    run,
    close: async () => void (await Promise.all([providers.close(), models.close()])),
  };
}

/** Embedding threads of a front. The indexer downloads models, when they are declared. */
export const searchEmbeddingThreads = (
  config: Config,
  log: Pick<Logger, 'info'>,
): EmbeddingThreads => embeddingThreads({ ...config, allowModelDownloads: false }, log);

const isLocal = ({ source, indexingEmbedder, searchEmbedder }: EmbedderSettings): boolean =>
  [source, indexingEmbedder?.source, searchEmbedder?.source].includes('huggingFace');

function tellModel(
  { model, library, device, milliseconds }: ModelLoaded,
  log: Pick<Logger, 'info'>,
): void {
  const gpu = { gpu_enabled: device !== 'cpu' };
  const took = `${Math.round(milliseconds)} ms`;
  log.info(gpu, `the local model \`${model}\` was loaded with ${library} on ${device} in ${took}`);
}
