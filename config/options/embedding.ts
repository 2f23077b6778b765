/** Launch options of embedders: providers, caches, local models. */
import type { EmbedderFailureMode } from '../formats.ts';
import { option } from './option.ts';

export const embeddingOptions = {
  embeddingCacheEntries: option<number>({
    doc: 'Embeddings of search queries that a front caches, so that it does not request the same text again.',
    format: 'count',
    default: 1000,
    arg: 'experimental-embedding-cache-entries',
  }),
  embeddingStoreSize: option<number>({
    doc: 'Disk space of the cache of document embeddings, by model and text: cached texts are not requested again. A full cache drops its least recently used half.',
    format: 'size',
    default: 4 * 1024 ** 3,
    arg: 'embedding-store-size',
  }),
  openAiApiKey: option<string | null>({
    doc: 'API key of `openAi` embedders without an `apiKey`, sent only to `--openai-url`: an embedder with another `url` needs its own `apiKey`. `OPENAI_API_KEY` is read too.',
    format: 'text',
    default: null,
    sensitive: true,
    commonEnv: /^OPENAI_API_KEY$/,
    arg: 'openai-api-key',
  }),
  openAiUrl: option<string>({
    doc: 'URL of `openAi` embedders without a `url`, for example a proxy.',
    format: 'httpUrl',
    default: 'https://api.openai.com/v1/embeddings',
    arg: 'openai-url',
  }),
  ollamaUrl: option<string>({
    doc: 'URL of `ollama` embedders without a `url`.',
    format: 'text',
    default: 'http://localhost:11434/api/embeddings',
    arg: 'ollama-url',
  }),
  restEmbedderTimeoutSeconds: option<number>({
    doc: 'Timeout in seconds of a request to an embedding provider.',
    format: 'positive',
    default: 30,
    arg: 'experimental-rest-embedder-timeout-seconds',
  }),
  restEmbedderMaxRetryDurationSeconds: option<number>({
    doc: 'Seconds for which a request for document embeddings is retried while the provider fails; a rate-limited request is retried for longer.',
    format: 'count',
    default: 60,
    arg: 'experimental-rest-embedder-max-retry-duration-seconds',
  }),
  embedderFailureModes: option<readonly EmbedderFailureMode[]>({
    doc: 'Failures after which documents are stored without vectors instead of failing their task, separated by commas: `ignore_document_template_failures` (the template fails), `ignore_embedder_failures` (the embedder fails).',
    format: 'failureModes',
    default: [],
    arg: 'experimental-config-embedder-failure-modes',
  }),
  modelDir: option<string | null>({
    doc: 'Folder of local models (`huggingFace` embedders and rerankers); default `models` in the data folder.',
    format: 'text',
    default: null,
    arg: 'model-dir',
  }),
  allowModelDownloads: option<boolean>({
    doc: 'Downloads missing local models.',
    format: 'flag',
    default: false,
    arg: 'allow-model-downloads',
  }),
  modelHubUrl: option<string>({
    doc: 'Model hub from which local models are downloaded.',
    format: 'httpUrl',
    default: 'https://huggingface.co',
    arg: 'model-hub-url',
  }),
};
