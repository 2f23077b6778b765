/** Embedding thread of the indexer: one export for each task of `src/embedding/thread`. */
import { workerData } from 'node:worker_threads';
import { EmbeddingThread } from '../src/embedding/thread/embedding-thread.ts';
import { AddressPolicy } from '../src/outgoing/address-policy.ts';
import { OutgoingHttp } from '../src/outgoing/outgoing-http.ts';
import { type EmbedderConfig, embedderEnvironment } from './embedder-environment.ts';

const config = (Array.isArray(workerData) ? workerData.at(-1) : workerData) as EmbedderConfig;
const outgoing = new OutgoingHttp(new AddressPolicy(config.allowedIpNetworks));
const thread = new EmbeddingThread(embedderEnvironment(config, outgoing.send));

export const embed = thread.embed.bind(thread);
export const dimensions = thread.dimensions.bind(thread);
