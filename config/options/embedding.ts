/** Launch options of embedders: providers, vectors kept, local models. */
import type { EmbedderFailureMode } from '../formats.ts';
import { option } from './option.ts';

export const embeddingOptions = {
  embeddingCacheEntries: option<number>({
    doc: 'Vectors of searches that a front keeps, so that the same text is not sent to a provider again.',
    format: 'count',
    default: 1000,
    env: 'SVC_EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES',
    arg: 'experimental-embedding-cache-entries',
  }),
  embeddingStoreSize: option<number>({
    doc: 'Disk for vectors that providers have made of documents, by model and text, so that no text is paid for twice; the least lately used half goes when it is full.',
    format: 'size',
    default: 4 * 1024 ** 3,
    env: 'SVC_EMBEDDING_STORE_SIZE',
    arg: 'embedding-store-size',
  }),
  openAiApiKey: option<string | null>({
    doc: 'Key of embedders of the source `openAi` that have none of their own, sent to `--openai-url` alone: an embedder with another `url` needs a key of its own. `OPENAI_API_KEY` is read too.',
    format: 'text',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_OPENAI_API_KEY',
    commonEnv: /^OPENAI_API_KEY$/,
    arg: 'openai-api-key',
  }),
  openAiUrl: option<string>({
    doc: 'Where embedders of the source `openAi` are asked that have no URL of their own; a proxy, for example.',
    format: 'httpUrl',
    default: 'https://api.openai.com/v1/embeddings',
    env: 'SVC_OPENAI_URL',
    arg: 'openai-url',
  }),
  ollamaUrl: option<string>({
    doc: 'Where embedders of the source `ollama` are asked that have no URL of their own.',
    format: 'text',
    default: 'http://localhost:11434/api/embeddings',
    env: 'SVC_OLLAMA_URL',
    arg: 'ollama-url',
  }),
  restEmbedderTimeoutSeconds: option<number>({
    doc: 'Seconds after which a request to a provider of embeddings is given up.',
    format: 'positive',
    default: 30,
    env: 'SVC_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS',
    arg: 'experimental-rest-embedder-timeout-seconds',
  }),
  restEmbedderMaxRetryDurationSeconds: option<number>({
    doc: 'Seconds for which a request of documents is repeated while the provider of embeddings fails; one that it refuses for its limits waits longer.',
    format: 'count',
    default: 60,
    env: 'SVC_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS',
    arg: 'experimental-rest-embedder-max-retry-duration-seconds',
  }),
  embedderFailureModes: option<readonly EmbedderFailureMode[]>({
    doc: 'Documents that are stored without vectors instead of failing their task, separated by commas: `ignore_document_template_failures` for those on which a template fails, `ignore_embedder_failures` for those that the embedder gives none.',
    format: 'failureModes',
    default: [],
    env: 'SVC_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES',
    arg: 'experimental-config-embedder-failure-modes',
  }),
  modelDir: option<string | null>({
    doc: 'Folder of local models (embedders of the source `huggingFace`); `models` in the data folder by default.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_MODEL_DIR',
    arg: 'model-dir',
  }),
  allowModelDownloads: option<boolean>({
    doc: 'Fetches local models that are not in their folder.',
    format: 'flag',
    default: false,
    env: 'SVC_ALLOW_MODEL_DOWNLOADS',
    arg: 'allow-model-downloads',
  }),
  modelHubUrl: option<string>({
    doc: 'Where local models are fetched.',
    format: 'httpUrl',
    default: 'https://huggingface.co',
    env: 'SVC_MODEL_HUB_URL',
    arg: 'model-hub-url',
  }),
};
