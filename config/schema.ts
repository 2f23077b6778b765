/**
 * Every launch option: meaning, format, default, environment variable, flag. The key in config.toml
 * is the flag in snake_case.
 */
import { totalmem } from 'node:os';
import { cores, type EmbedderFailureMode, LOG_LEVELS } from './formats.ts';

export type Role = 'all' | 'front' | 'indexer';

/** The options as parsed; `load.ts` derives from them the `Config` that the processes get. */
export interface RawOptions {
  configFilePath: string | null;
  dbPath: string;
  httpAddr: string;
  masterKey: string | null;
  masterKeyFile: string | null;
  formerMasterKey: string | null;
  wrongKeysPerMinute: number;
  env: 'development' | 'production';
  sslCertPath: string | null;
  sslKeyPath: string | null;
  sslAuthPath: string | null;
  sslOcspPath: string | null;
  sslRequireAuth: boolean;
  sslResumption: boolean;
  sslTickets: boolean;
  httpPayloadSizeLimit: number;
  /** A level, levels of parts, or both: `INFO,HTTP=DEBUG`. */
  logLevel: string;
  logsMode: 'HUMAN' | 'JSON';
  maxIndexingMemory: number;
  maxIndexingThreads: number;
  reduceIndexingMemoryUsage: boolean;
  queryThreads: number;
  servingThreads: number;
  queryCacheSize: number;
  answerCacheSize: number;
  role: Role;
  indexerAddr: string | null;
  indexerSecret: string | null;
  searchQueueSize: number;
  dropSearchAfter: number;
  nbSearchesPerCore: number;
  maxNumberOfBatchedTasks: number | null;
  limitBatchedTasksTotalSize: number | null;
  taskRetentionCount: number;
  taskRetentionDays: number | null;
  containsFilter: boolean;
  enableMetrics: boolean;
  enableLogsRoute: boolean;
  slowSearchMs: number;
  /** Networks in CIDR notation, single addresses, or `any`. */
  allowedIpNetworks: readonly string[];
  embeddingCacheEntries: number;
  embeddingStoreSize: number;
  openAiApiKey: string | null;
  ollamaUrl: string;
  restEmbedderTimeoutSeconds: number;
  remoteSearchTimeoutSeconds: number;
  restEmbedderMaxRetryDurationSeconds: number;
  embedderFailureModes: readonly EmbedderFailureMode[];
  modelDir: string | null;
  allowModelDownloads: boolean;
  modelHubUrl: string;
  taskWebhookUrl: string | null;
  taskWebhookAuthorizationHeader: string | null;
  taskWebhookSigningSecret: string | null;
  dumpDir: string;
  snapshotDir: string;
  scheduleSnapshot: number | null;
  snapshotKeep: number;
  importSnapshot: string | null;
  ignoreMissingSnapshot: boolean;
  ignoreSnapshotIfDbExists: boolean;
  upgradeDb: boolean;
  importDump: string | null;
  ignoreMissingDump: boolean;
  ignoreDumpIfDbExists: boolean;
  noAnalytics: boolean;
  noWarmUp: boolean;
  searchPage: boolean;
}

export interface OptionSpec<T> {
  readonly doc: string;
  readonly format: string | readonly string[];
  readonly default: T;
  readonly env: string;
  /** Read where `env` is not set: a name that other programs use too. */
  readonly commonEnv?: string;
  readonly arg: string;
  readonly nullable?: boolean;
  readonly sensitive?: boolean;
}

/** The memory this process may count on: the RAM, or less where a container is limited. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit !== undefined && limit > 0 && limit < totalmem() ? limit : totalmem();
}

export const schema: { readonly [K in keyof RawOptions]: OptionSpec<RawOptions[K]> } = {
  configFilePath: {
    doc: 'Config file; `./config.toml` is read when it exists and none is named.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_CONFIG_FILE_PATH',
    arg: 'config-file-path',
  },
  dbPath: {
    doc: 'Data folder.',
    format: 'text',
    default: './data.ms',
    env: 'SVC_DB_PATH',
    arg: 'db-path',
  },
  httpAddr: {
    doc: 'Address and port to listen on.',
    format: 'address',
    default: 'localhost:7700',
    env: 'SVC_HTTP_ADDR',
    arg: 'http-addr',
  },
  masterKey: {
    doc: 'Secret that opens every route; mandatory (16 bytes or more) in production.',
    format: 'text',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_MASTER_KEY',
    arg: 'master-key',
  },
  masterKeyFile: {
    doc: 'File that holds the master key and nothing else; in place of it.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_MASTER_KEY_FILE',
    arg: 'master-key-file',
  },
  formerMasterKey: {
    doc: 'Master key of before, which stays good beside the new one, as do the values that keys have under it: for the time in which clients change over.',
    format: 'text',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_MASTER_KEY_PREVIOUS',
    arg: 'master-key-previous',
  },
  wrongKeysPerMinute: {
    doc: 'Wrong keys from one address after which the master key is not taken from there for the rest of a minute; 0 = any number. Values of API keys are always taken.',
    format: 'count',
    default: 100,
    env: 'SVC_WRONG_KEYS_PER_MINUTE',
    arg: 'wrong-keys-per-minute',
  },
  env: {
    doc: 'development or production; production insists on a master key. With `NODE_ENV=production` production is the default.',
    format: ['development', 'production'],
    default: 'development',
    env: 'SVC_ENV',
    arg: 'env',
  },
  sslCertPath: {
    doc: 'PEM file with the certificate and its chain; turns TLS on, with `--ssl-key-path`. SIGHUP reads the files anew.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_SSL_CERT_PATH',
    arg: 'ssl-cert-path',
  },
  sslKeyPath: {
    doc: 'PEM file with the private key of the certificate.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_SSL_KEY_PATH',
    arg: 'ssl-key-path',
  },
  sslAuthPath: {
    doc: 'PEM file with the authorities whose signature makes a certificate of a client good; clients are then asked for one.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_SSL_AUTH_PATH',
    arg: 'ssl-auth-path',
  },
  sslOcspPath: {
    doc: 'DER file with the answer of the authority about the certificate, handed to clients that ask.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_SSL_OCSP_PATH',
    arg: 'ssl-ocsp-path',
  },
  sslRequireAuth: {
    doc: 'Refuses clients without a good certificate; needs `--ssl-auth-path`.',
    format: 'flag',
    default: false,
    env: 'SVC_SSL_REQUIRE_AUTH',
    arg: 'ssl-require-auth',
  },
  sslResumption: {
    doc: 'Remembers TLS sessions, so that clients that come back need no full handshake.',
    format: 'flag',
    default: false,
    env: 'SVC_SSL_RESUMPTION',
    arg: 'ssl-resumption',
  },
  sslTickets: {
    doc: 'Hands TLS sessions to clients as tickets.',
    format: 'flag',
    default: false,
    env: 'SVC_SSL_TICKETS',
    arg: 'ssl-tickets',
  },
  httpPayloadSizeLimit: {
    doc: 'Largest request body, decompressed.',
    format: 'size',
    default: 100_000_000,
    env: 'SVC_HTTP_PAYLOAD_SIZE_LIMIT',
    arg: 'http-payload-size-limit',
  },
  logLevel: {
    doc: `Least severe level that is logged: ${LOG_LEVELS.join(', ')}; also by part, as in info,http=debug,search=off.`,
    format: 'logLevel',
    default: 'INFO',
    env: 'SVC_LOG_LEVEL',
    arg: 'log-level',
  },
  logsMode: {
    doc: 'Form of the log: HUMAN or JSON.',
    format: 'logsMode',
    default: 'HUMAN',
    env: 'SVC_EXPERIMENTAL_LOGS_MODE',
    arg: 'experimental-logs-mode',
  },
  maxIndexingMemory: {
    doc: 'Memory that indexing may take beyond what the idle indexer has, mapped files apart; 256 MiB is little. By default two thirds of the RAM.',
    format: 'size',
    default: Math.floor((availableMemory() * 2) / 3),
    env: 'SVC_MAX_INDEXING_MEMORY',
    arg: 'max-indexing-memory',
  },
  reduceIndexingMemoryUsage: {
    doc: 'Indexing makes do with a quarter of `--max-indexing-memory`, 256 MiB at least: smaller batches and segments, perhaps fewer threads.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_REDUCE_INDEXING_MEMORY_USAGE',
    arg: 'experimental-reduce-indexing-memory-usage',
  },
  maxIndexingThreads: {
    doc: 'Threads of the indexing pool, beside one that helps with large batches and one of low priority for merges; one at most for each 192 MiB of `--max-indexing-memory`; default half of the cores.',
    format: 'threads',
    default: Math.max(1, Math.floor(cores() / 2)),
    env: 'SVC_MAX_INDEXING_THREADS',
    arg: 'max-indexing-threads',
  },
  queryThreads: {
    doc: 'Threads of the query pool of a front; default one per core.',
    format: 'threads',
    default: cores(),
    env: 'SVC_QUERY_THREADS',
    arg: 'query-threads',
  },
  servingThreads: {
    doc: 'Threads of a front that each serve a share of the connections and answer short searches in place; only long searches go to the query pool. 0 = one loop serves and hands every search to the pool, as it does with TLS and where uWebSockets.js has no binary.',
    format: 'count',
    default: 0,
    env: 'SVC_SERVING_THREADS',
    arg: 'serving-threads',
  },
  queryCacheSize: {
    doc: 'Memory in which each query thread keeps what later searches need again: documents and positions of words, merged facet values.',
    format: 'size',
    default: 64 << 20,
    env: 'SVC_QUERY_CACHE_SIZE',
    arg: 'query-cache-size',
  },
  answerCacheSize: {
    doc: 'Memory in which a front keeps finished answers of searches, for when the same is asked again before the index changes; 0 keeps none.',
    format: 'size',
    default: 16 << 20,
    env: 'SVC_ANSWER_CACHE_SIZE',
    arg: 'answer-cache-size',
  },
  role: {
    doc: 'all = supervisor with a front and the indexer; front or indexer = that one alone.',
    format: ['all', 'front', 'indexer'],
    default: 'all',
    env: 'SVC_ROLE',
    arg: 'role',
  },
  indexerAddr: {
    doc: 'Where the indexer listens for fronts: a unix socket path or `host:port`; default a socket in the data folder.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_INDEXER_ADDR',
    arg: 'indexer-addr',
  },
  indexerSecret: {
    doc: 'What fronts and indexer know each other by, 16 bytes or more; needed where `--indexer-addr` is `host:port`, default a file in the data folder.',
    format: 'text',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_INDEXER_SECRET',
    arg: 'indexer-secret',
  },
  searchQueueSize: {
    doc: 'Searches that may wait; 0 refuses what cannot start at once.',
    format: 'count',
    default: 1000,
    env: 'SVC_EXPERIMENTAL_SEARCH_QUEUE_SIZE',
    arg: 'experimental-search-queue-size',
  },
  dropSearchAfter: {
    doc: 'Seconds after which a waiting search is dropped.',
    format: 'positive',
    default: 60,
    env: 'SVC_EXPERIMENTAL_DROP_SEARCH_AFTER',
    arg: 'experimental-drop-search-after',
  },
  nbSearchesPerCore: {
    doc: 'Searches that may be under way for each query thread.',
    format: 'positive',
    default: 4,
    env: 'SVC_EXPERIMENTAL_NB_SEARCHES_PER_CORE',
    arg: 'experimental-nb-searches-per-core',
  },
  maxNumberOfBatchedTasks: {
    doc: 'Most tasks in one batch; default unlimited.',
    format: 'positive',
    default: null,
    nullable: true,
    env: 'SVC_EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS',
    arg: 'experimental-max-number-of-batched-tasks',
  },
  limitBatchedTasksTotalSize: {
    doc: 'Most payload bytes in one batch; default half of the indexing memory, 10 GiB at most.',
    format: 'size',
    default: null,
    nullable: true,
    env: 'SVC_EXPERIMENTAL_LIMIT_BATCHED_TASKS_TOTAL_SIZE',
    arg: 'experimental-limit-batched-tasks-total-size',
  },
  taskRetentionCount: {
    doc: 'Stored tasks from which on the oldest finished ones are deleted, a tenth at a time.',
    format: 'positive',
    default: 1_000_000,
    env: 'SVC_TASK_RETENTION_COUNT',
    arg: 'task-retention-count',
  },
  taskRetentionDays: {
    doc: 'Days after which finished tasks are deleted; default never.',
    format: 'positive',
    default: null,
    nullable: true,
    env: 'SVC_TASK_RETENTION_DAYS',
    arg: 'task-retention-days',
  },
  containsFilter: {
    doc: 'Starts with the experimental feature `containsFilter` on: filters may use CONTAINS.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_CONTAINS_FILTER',
    arg: 'experimental-contains-filter',
  },
  enableMetrics: {
    doc: 'Starts with the experimental feature `metrics` on: `GET /metrics` answers.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_ENABLE_METRICS',
    arg: 'experimental-enable-metrics',
  },
  enableLogsRoute: {
    doc: 'Starts with the experimental feature `logsRoute` on: the routes below `/logs` answer.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_ENABLE_LOGS_ROUTE',
    arg: 'experimental-enable-logs-route',
  },
  slowSearchMs: {
    doc: 'Milliseconds from which on a search is logged with its steps; 0 logs none.',
    format: 'count',
    default: 500,
    env: 'SVC_SLOW_SEARCH_MS',
    arg: 'slow-search-ms',
  },
  allowedIpNetworks: {
    doc: 'Networks in CIDR notation, separated by commas, that requests of this server to others (embedders, webhooks) may reach beside public addresses; `any` allows all.',
    format: 'networks',
    default: [],
    env: 'SVC_EXPERIMENTAL_ALLOWED_IP_NETWORKS',
    arg: 'experimental-allowed-ip-networks',
  },
  embeddingCacheEntries: {
    doc: 'Vectors of searches that a front keeps, so that the same text is not sent to a provider again.',
    format: 'count',
    default: 1000,
    env: 'SVC_EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES',
    arg: 'experimental-embedding-cache-entries',
  },
  embeddingStoreSize: {
    doc: 'Disk for vectors that providers have made of documents, by model and text, so that no text is paid for twice; the least lately used half goes when it is full.',
    format: 'size',
    default: 4 * 1024 ** 3,
    env: 'SVC_EMBEDDING_STORE_SIZE',
    arg: 'embedding-store-size',
  },
  openAiApiKey: {
    doc: 'Key of embedders of the source `openAi` that have none of their own; `OPENAI_API_KEY` is read too.',
    format: 'text',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_OPENAI_API_KEY',
    commonEnv: 'OPENAI_API_KEY',
    arg: 'openai-api-key',
  },
  ollamaUrl: {
    doc: 'Where embedders of the source `ollama` are asked that have no URL of their own.',
    format: 'text',
    default: 'http://localhost:11434/api/embeddings',
    env: 'SVC_OLLAMA_URL',
    arg: 'ollama-url',
  },
  remoteSearchTimeoutSeconds: {
    doc: 'Seconds after which a search asked of another instance of the network is given up.',
    format: 'positive',
    default: 25,
    env: 'SVC_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS',
    arg: 'experimental-remote-search-timeout-seconds',
  },
  restEmbedderTimeoutSeconds: {
    doc: 'Seconds after which a request to a provider of embeddings is given up.',
    format: 'positive',
    default: 30,
    env: 'SVC_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS',
    arg: 'experimental-rest-embedder-timeout-seconds',
  },
  restEmbedderMaxRetryDurationSeconds: {
    doc: 'Seconds for which a request of documents is repeated while the provider of embeddings fails; one that it refuses for its limits waits longer.',
    format: 'count',
    default: 60,
    env: 'SVC_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS',
    arg: 'experimental-rest-embedder-max-retry-duration-seconds',
  },
  embedderFailureModes: {
    doc: 'Documents that are stored without vectors instead of failing their task, separated by commas: `ignore_document_template_failures` for those on which a template fails, `ignore_embedder_failures` for those that the embedder gives none.',
    format: 'failureModes',
    default: [],
    env: 'SVC_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES',
    arg: 'experimental-config-embedder-failure-modes',
  },
  modelDir: {
    doc: 'Folder of local models (embedders of the source `huggingFace`); `models` in the data folder by default.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_MODEL_DIR',
    arg: 'model-dir',
  },
  allowModelDownloads: {
    doc: 'Fetches local models that are not in their folder.',
    format: 'flag',
    default: false,
    env: 'SVC_ALLOW_MODEL_DOWNLOADS',
    arg: 'allow-model-downloads',
  },
  modelHubUrl: {
    doc: 'Where local models are fetched.',
    format: 'httpUrl',
    default: 'https://huggingface.co',
    env: 'SVC_MODEL_HUB_URL',
    arg: 'model-hub-url',
  },
  taskWebhookUrl: {
    doc: 'Server that is told of every batch that has ended, beside the webhooks made by requests.',
    format: 'httpUrl',
    default: null,
    nullable: true,
    env: 'SVC_TASK_WEBHOOK_URL',
    arg: 'task-webhook-url',
  },
  taskWebhookAuthorizationHeader: {
    doc: 'Value of the header `Authorization` of these requests, such as `Bearer <secret>`.',
    format: 'headerValue',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_TASK_WEBHOOK_AUTHORIZATION_HEADER',
    arg: 'task-webhook-authorization-header',
  },
  taskWebhookSigningSecret: {
    doc: 'Secret of 16 to 256 characters that these requests are signed with, so that the server they go to can tell who sends them.',
    format: 'signingSecret',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_TASK_WEBHOOK_SIGNING_SECRET',
    arg: 'task-webhook-signing-secret',
  },
  dumpDir: {
    doc: 'Folder of the dumps that are made.',
    format: 'text',
    default: 'dumps/',
    env: 'SVC_DUMP_DIR',
    arg: 'dump-dir',
  },
  snapshotDir: {
    doc: 'Folder of the snapshots that are made.',
    format: 'text',
    default: 'snapshots/',
    env: 'SVC_SNAPSHOT_DIR',
    arg: 'snapshot-dir',
  },
  scheduleSnapshot: {
    doc: 'Seconds between two snapshots that are made by themselves; 86400 when no number is given.',
    format: 'interval',
    default: null,
    nullable: true,
    env: 'SVC_SCHEDULE_SNAPSHOT',
    arg: 'schedule-snapshot',
  },
  snapshotKeep: {
    doc: 'Snapshots that stay, the newest included; older ones have their dates in their names.',
    format: 'positive',
    default: 1,
    env: 'SVC_SNAPSHOT_KEEP',
    arg: 'snapshot-keep',
  },
  importSnapshot: {
    doc: 'Snapshot to begin with, as the data folder; nothing listens before it is restored.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_IMPORT_SNAPSHOT',
    arg: 'import-snapshot',
  },
  ignoreMissingSnapshot: {
    doc: 'Starts without the snapshot when its file does not exist.',
    format: 'flag',
    default: false,
    env: 'SVC_IGNORE_MISSING_SNAPSHOT',
    arg: 'ignore-missing-snapshot',
  },
  ignoreSnapshotIfDbExists: {
    doc: 'Starts without restoring the snapshot when the data folder holds data.',
    format: 'flag',
    default: false,
    env: 'SVC_IGNORE_SNAPSHOT_IF_DB_EXISTS',
    arg: 'ignore-snapshot-if-db-exists',
  },
  upgradeDb: {
    doc: 'Upgrades a data folder, or a snapshot to begin with, of an older format before anything listens; docs/upgrading.md.',
    format: 'flag',
    default: false,
    env: 'SVC_UPGRADE_DB',
    arg: 'upgrade-db',
  },
  importDump: {
    doc: 'Dump to begin with, in a data folder that is made of it; nothing listens before it is imported.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_IMPORT_DUMP',
    arg: 'import-dump',
  },
  ignoreMissingDump: {
    doc: 'Starts without the dump when its file does not exist.',
    format: 'flag',
    default: false,
    env: 'SVC_IGNORE_MISSING_DUMP',
    arg: 'ignore-missing-dump',
  },
  ignoreDumpIfDbExists: {
    doc: 'Starts without importing the dump when the data folder holds data.',
    format: 'flag',
    default: false,
    env: 'SVC_IGNORE_DUMP_IF_DB_EXISTS',
    arg: 'ignore-dump-if-db-exists',
  },
  noAnalytics: {
    doc: 'Turns off anonymous usage figures (none are sent today).',
    format: 'flag',
    default: false,
    env: 'SVC_NO_ANALYTICS',
    arg: 'no-analytics',
  },
  noWarmUp: {
    doc: 'Leaves out the made searches and batches by which fresh processes that have nothing to do get ready for real ones.',
    format: 'flag',
    default: false,
    env: 'SVC_NO_WARM_UP',
    arg: 'no-warm-up',
  },
  searchPage: {
    doc: 'Serves the search page at `/` in production too; in development it always is.',
    format: 'flag',
    default: false,
    env: 'SVC_SEARCH_PAGE',
    arg: 'search-page',
  },
};
