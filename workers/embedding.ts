/** Embedding threads: one export for each task of `src/embedding/thread`. */
import { parentPort, workerData } from 'node:worker_threads';
import { localEmbedder } from '../src/embedding/local/local-embedder.ts';
import type { LoadedModel } from '../src/embedding/local/local-model.ts';
import { LocalModels } from '../src/embedding/local/local-models.ts';
import { EmbeddingThread } from '../src/embedding/thread/embedding-thread.ts';
import { AddressPolicy } from '../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../src/http-client/outgoing-http.ts';
import { StoredModel } from '../src/storage/model-store.ts';
import { type EmbedderConfig, embedderEnvironment } from './embedder-environment.ts';

/** Facts about a loaded model, for the log. */
export interface ModelLoaded extends LoadedModel {
  readonly model: string;
}

const config = workerData as EmbedderConfig;
const { open, send } = new OutgoingHttp(new AddressPolicy(config.allowedIpNetworks));
const models = new LocalModels({
  openFolder: (model, revision) => new StoredModel(config.modelDir, model, revision),
  hub: config.allowModelDownloads ? { url: config.modelHubUrl.replace(/\/+$/, ''), open } : null,
  onLoaded: (model, loaded) => parentPort?.postMessage({ model, ...loaded } satisfies ModelLoaded),
});
const thread = new EmbeddingThread(
  embedderEnvironment(config, send, (settings) => localEmbedder(settings, models)),
  models,
);

export const embed = thread.embed.bind(thread);
export const dimensions = thread.dimensions.bind(thread);
export const query = thread.query.bind(thread);
export const score = thread.score.bind(thread);
