/**
 * Every launch option has its effect on real processes: here, where no other test shows it. The
 * table says for each where that is; `test/unit/config/every-option.test.ts` has their forms.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawOptions } from '../../config/option-table.ts';
import { schema } from '../../config/option-table.ts';
import { LAUNCH_WEBHOOK_UUID } from '../../src/model/webhook.ts';
import { sendJson } from '../support/http-request.ts';
import { cleanUp, clientOf, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';
import { type WebhookTarget, webhookTarget } from '../support/webhook-target.ts';

/** `here`, or a test and what it says of the option. */
type Shown = 'here' | readonly [file: string, text: string];

const in_ = (file: string, text: string): Shown => [`test/${file}.test.ts`, text];

const SHOWN = {
  configFilePath: 'here',
  dbPath: in_('e2e/data-folder', '--db-path'),
  store: in_('crash/object-store', '--store'),
  env: in_('e2e/runtime', "'--env', 'production'"),
  role: in_('e2e/runtime', '--role'),
  nodeUrl: in_('crash/cluster', '--node-url'),
  readerPollMs: in_('crash/cluster', '--reader-poll-ms'),
  storeCacheSize: in_('crash/cluster', '--store-cache-size'),
  takeoverSeconds: in_('crash/cluster', '--takeover-seconds'),
  indexerAddr: in_('e2e/runtime', '--indexer-addr'),
  indexerSecret: in_('e2e/data-folder', '--indexer-secret'),
  upgradeDb: in_('e2e/upgrade', '--upgrade-db'),
  noWarmUp: 'here',
  httpAddr: in_('e2e/runtime', '--http-addr'),
  masterKey: in_('e2e/runtime', 'SVC_MASTER_KEY'),
  masterKeyFile: 'here',
  formerMasterKey: 'here',
  wrongKeysPerMinute: in_('e2e/keys', '--wrong-keys-per-minute'),
  allowLooseTenantRules: in_('e2e/keys', '--allow-loose-tenant-rules'),
  maskStrongerKeys: in_('e2e/keys', '--mask-stronger-keys'),
  oidcIssuer: in_('e2e/openid', '--oidc-issuer'),
  oidcAudience: in_('e2e/openid', '--oidc-audience'),
  oidcRolesClaim: in_('e2e/openid', '--oidc-roles-claim'),
  oidcRolesFile: in_('e2e/openid', '--oidc-roles-file'),
  sslCertPath: in_('e2e/tls', '--ssl-cert-path'),
  sslKeyPath: in_('e2e/tls', '--ssl-key-path'),
  sslAuthPath: in_('e2e/tls', '--ssl-auth-path'),
  sslOcspPath: in_('e2e/tls', '--ssl-ocsp-path'),
  sslRequireAuth: in_('e2e/tls', '--ssl-require-auth'),
  sslResumption: in_('e2e/tls', '--ssl-resumption'),
  sslTickets: in_('e2e/tls', '--ssl-tickets'),
  httpPayloadSizeLimit: in_('e2e/bad-input', '--http-payload-size-limit'),
  httpBodyMemory: 'here',
  searchPage: in_('e2e/search-page', '--search-page'),
  queryThreads: 'here',
  queryCacheSize: 'here',
  answerCacheSize: 'here',
  searchQueueSize: 'here',
  dropSearchAfter: in_('unit/ipc/queries/query-pool', 'dropAfterMs'),
  searchTimeoutSeconds: in_('e2e/request-limits', '--search-timeout-seconds'),
  maxMultiSearchQueries: in_('e2e/request-limits', '--max-multi-search-queries'),
  maxResponseSize: in_('e2e/request-limits', '--max-response-size'),
  nbSearchesPerCore: 'here',
  readerPrefetchMemory: 'here',
  containsFilter: in_('e2e/restarts', '--experimental-contains-filter'),
  legacySearch: in_('e2e/restarts', '--experimental-legacy-search-default'),
  remoteSearchTimeoutSeconds: in_('e2e/network', '--experimental-remote-search-timeout-seconds'),
  replicationParameters: in_('e2e/replication-parameters', '--experimental-replication-parameters'),
  maxIndexingMemory: in_('unit/indexing/memory-shares', 'threadsWithin'),
  reduceIndexingMemoryUsage: in_('unit/config/load', '--experimental-reduce-indexing-memory-usage'),
  maxIndexingThreads: in_('e2e/containers', 'SVC_MAX_INDEXING_THREADS'),
  maxNumberOfBatchedTasks: 'here',
  limitBatchedTasksTotalSize: 'here',
  taskRetentionCount: 'here',
  taskRetentionDays: in_('integration/tasks/indexer-service', 'taskAgeMaxMs'),
  dumpDir: in_('e2e/backups', '--dump-dir'),
  snapshotDir: in_('e2e/backups', '--snapshot-dir'),
  scheduleSnapshot: in_('e2e/backups', '--schedule-snapshot'),
  snapshotKeep: in_('integration/tasks/snapshots', 'snapshotsKept'),
  importSnapshot: in_('e2e/restarts', '--import-snapshot'),
  ignoreMissingSnapshot: 'here',
  ignoreSnapshotIfDbExists: in_('crash/kill-during-imports', '--ignore-snapshot-if-db-exists'),
  importDump: in_('e2e/backups', '--import-dump'),
  ignoreMissingDump: 'here',
  ignoreDumpIfDbExists: in_('crash/kill-during-imports', '--ignore-dump-if-db-exists'),
  importSizeLimit: in_('unit/storage/backups/archive', '--import-size-limit'),
  importEntryLimit: in_('unit/storage/backups/archive', '--import-entry-limit'),
  personalizationApiKey: in_('e2e/personalized-search', 'SVC_EXPERIMENTAL_PERSONALIZATION_API_KEY'),
  personalizationUrl: in_('e2e/personalized-search', '--personalization-url'),
  personalizationModel: in_('e2e/personalized-search', '--personalization-model'),
  personalizationTimeoutMs: in_('e2e/personalized-search', '--personalization-timeout-ms'),
  embeddingCacheEntries: 'here',
  embeddingStoreSize: in_('unit/embedding/cache/embedding-cache', 'EmbeddingStore'),
  openAiApiKey: 'here',
  openAiUrl: 'here',
  ollamaUrl: 'here',
  restEmbedderTimeoutSeconds: 'here',
  restEmbedderMaxRetryDurationSeconds: 'here',
  embedderFailureModes: 'here',
  modelDir: in_('e2e/embedding', 'SHARED_MODELS'),
  allowModelDownloads: 'here',
  modelHubUrl: 'here',
  allowedIpNetworks: 'here',
  taskWebhookUrl: 'here',
  taskWebhookAuthorizationHeader: 'here',
  taskWebhookSigningSecret: 'here',
  logLevel: 'here',
  logsMode: in_('e2e/runtime', '--experimental-logs-mode'),
  slowSearchMs: in_('e2e/runtime', '--slow-search-ms'),
  enableMetrics: 'here',
  enableLogsRoute: 'here',
  noAnalytics: 'here',
  searchAnalytics: in_('e2e/analytics', '--search-analytics'),
  searchAnalyticsDays: in_('unit/analytics/analytics-keeper', 'days'),
  searchAnalyticsSize: in_('unit/analytics/analytics-keeper', 'bytesMax'),
  auditLog: in_('e2e/audit-log', '--audit-log'),
  auditLogDays: in_('unit/storage/audit-files', 'days'),
  auditLogSize: in_('unit/storage/audit-files', 'bytesMax'),
  otlpUrl: in_('e2e/opentelemetry', '--otlp-url'),
  telemetryUrl: 'here',
  serverProvider: in_('e2e/telemetry', 'SVC_SERVER_PROVIDER'),
} as const satisfies Record<keyof RawOptions, Shown>;

/** Options that a server of this file was given. */
const given = new Set<string>();
const keyOfFlag = new Map(Object.entries(schema).map(([key, { arg }]) => [arg as string, key]));

/** As keys of a config file, whose path it answers. */
function configFile(options: Readonly<Record<string, string | number | boolean>>): string {
  given.add('configFilePath');
  const path = join(freshFolder(), 'options.toml');
  const lines = Object.entries(options).map(([flag, value]) => {
    given.add(keyOfFlag.get(flag) ?? flag);
    return `${flag.replaceAll('-', '_')} = ${JSON.stringify(value)}`;
  });
  writeFileSync(path, lines.join('\n'));
  return path;
}

function variables(options: Readonly<Record<string, string>>): Record<string, string> {
  for (const flag of Object.keys(options)) given.add(keyOfFlag.get(flag) ?? flag);
  return Object.fromEntries(
    Object.entries(options).map(([flag, value]) => [
      `SVC_${flag.toUpperCase().replaceAll('-', '_')}`,
      value,
    ]),
  );
}

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/**
 * Other servers in one: embeds, gives no answer to what hangs, fails at what fails, has no models.
 */
async function otherServer() {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = request.url ?? '';
    asked.push({ path, authorization: request.headers.authorization, body });
    if (body.includes('hangs')) return;
    const status = path.startsWith('/hub') || body.includes('fails') ? 500 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    const embedding = [1, 2];
    response.end(JSON.stringify({ embedding, data: [{ index: 0, embedding }] }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, asked, close };
}

const MASTER_KEY = 'the-master-key-of-now';
const FORMER_KEY = 'the-master-key-of-before';
const SECRET = 'a-secret-of-enough-letters';
const AUTHORIZATION = 'Bearer of-the-launch';

let others: Awaited<ReturnType<typeof otherServer>>;
let target: WebhookTarget;
let server: TestServer;
let small: TestServer;

async function startServer(): Promise<TestServer> {
  const keyFile = join(freshFolder(), 'key');
  writeFileSync(keyFile, `${MASTER_KEY}\n`);
  const file = configFile({
    'experimental-enable-metrics': true,
    'experimental-enable-logs-route': true,
    'experimental-max-number-of-batched-tasks': 1,
    'query-threads': 1,
    'experimental-nb-searches-per-core': 1,
    'experimental-search-queue-size': 0,
    'query-cache-size': 0,
    'answer-cache-size': 0,
    'http-body-memory': '1 MiB',
    'experimental-embedding-cache-entries': 0,
    'experimental-allowed-ip-networks': '127.0.0.0/8',
    'openai-url': `${others.url}/openai`,
    'ollama-url': `${others.url}/api/embeddings`,
    'ignore-missing-dump': true,
    'import-dump': 'none.dump',
  });
  const env = variables({
    'master-key-file': keyFile,
    'master-key-previous': FORMER_KEY,
    'openai-api-key': 'a-key-of-openai',
    'reader-prefetch-memory': '1 GiB',
    'experimental-rest-embedder-timeout-seconds': '4',
    'experimental-rest-embedder-max-retry-duration-seconds': '0',
    'experimental-config-embedder-failure-modes': 'ignore_embedder_failures',
  });
  return TestServer.start({ flags: ['--config-file-path', file], env, queryThreads: 'default' });
}

/** One whose batches hold next to nothing, and of which little is kept. */
function startSmall(): Promise<TestServer> {
  const env = variables({
    'experimental-limit-batched-tasks-total-size': '1',
    'task-retention-count': '10',
    'log-level': 'debug',
    'ignore-missing-snapshot': 'true',
    'import-snapshot': 'none.snapshot',
    'task-webhook-url': target.url,
    'task-webhook-authorization-header': AUTHORIZATION,
    'task-webhook-signing-secret': SECRET,
    'experimental-allowed-ip-networks': '127.0.0.1',
    'allow-model-downloads': 'true',
    'model-hub-url': `${others.url}/hub`,
    'no-warm-up': 'true',
    'no-analytics': 'true',
    'telemetry-url': 'http://127.0.0.1:9/',
  });
  return TestServer.start({ env, isWarmedUp: true });
}

beforeAll(async () => {
  [others, target] = await Promise.all([otherServer(), webhookTarget()]);
  [server, small] = await Promise.all([startServer(), startSmall()]);
});

afterAll(async () => {
  await cleanUp();
  others.close();
  await target.close();
});

const manage = (key = MASTER_KEY) => clientOf(server.url, key);
const bearer = { authorization: `Bearer ${MASTER_KEY}` };

async function metric(name: string): Promise<number> {
  const { text } = await server.call('GET', '/metrics', { headers: bearer });
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  expect(lines.length, `${name} in ${text.slice(0, 200)}`).toBeGreaterThan(0);
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** How many tasks each batch had. */
const tasksOfBatches = async (client: ReturnType<typeof manage>) =>
  (await client.batches.getBatches({ limit: 100 })).results.map(({ stats }) => stats.totalNbTasks);

async function addTwelve(client: ReturnType<typeof manage>, uid: string): Promise<void> {
  const ids = Array.from({ length: 12 }, (_, id) => id);
  const tasks = await Promise.all(ids.map((id) => client.index(uid).addDocuments([{ id }])));
  // The tasks of an index are done in order; a server that keeps few of them may delete the first.
  await client.tasks.waitForTask(Math.max(...tasks.map(({ taskUid }) => taskUid)));
}

const embedded = async (uid: string, embedder: object, titles: readonly string[]) => {
  const index = manage().index(uid);
  const settings = { embedders: { e: embedder } } as never;
  expect((await index.updateSettings(settings).waitTask()).error).toBeNull();
  return index.addDocuments(titles.map((title, id) => ({ id, title }))).waitTask();
};

/** Without a queue a search is refused while the thread opens a generation or ends another search. */
const whenFree = <T>(search: () => Promise<T>): Promise<T> =>
  until('a thread that is free', () =>
    search().catch((error: unknown) => {
      expect(error).toMatchObject({ cause: { code: 'too_many_search_requests' } });
      return null;
    }),
  );

describe('options of access and of telemetry', () => {
  it('the file of the master key, and the key of before', async () => {
    for (const key of [MASTER_KEY, FORMER_KEY])
      expect((await manage(key).getKeys()).results.length).toBeGreaterThan(0);
    await expect(manage('another').getKeys()).rejects.toThrow('The provided API key is invalid');
  });

  it('the memory of request bodies, of which a large one may have three quarters', async () => {
    const body = JSON.stringify({ q: 'x'.repeat(900_000) });
    const headers = { ...bearer, 'content-type': 'application/json' };
    const answer = await server.call('POST', '/multi-search', { headers, body });
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({ message: expect.stringContaining('786432 bytes') });
  });

  it('features that are on from the start', async () => {
    expect(await manage().getExperimentalFeatures()).toMatchObject({
      metrics: true,
      logsRoute: true,
      containsFilter: false,
    });
  });

  it('the log level', async () => {
    await until('the line', () => (small.stdout + small.stderr).includes('front is ready'));
    expect(server.stdout + server.stderr).not.toContain('front is ready');
  });

  it('usage that is not counted', async () => {
    expect((await small.call('GET', '/telemetry/preview')).json).toEqual({
      isCounting: false,
      target: 'http://127.0.0.1:9',
      sendsAt: null,
      bundles: [],
    });
  });

  it('backups to begin with that are not there', () => {
    for (const { dbPath } of [server, small]) expect(existsSync(dbPath)).toBe(true);
  });

  it('vectors that are read before it serves', async () => {
    const text = 'bytes of vectors into the page cache';
    await until('the line', () => (server.stdout + server.stderr).includes(text));
    expect(small.stdout + small.stderr).not.toContain('bytes of vectors into the page cache');
  });

  it('no warm-up', () => {
    expect(small.stdout + small.stderr).not.toMatch(/warm/);
  });
});

describe('options of tasks', () => {
  it('tasks in a batch, by number and by bytes', async () => {
    await addTwelve(manage(), 'numbered');
    expect(Math.max(...(await tasksOfBatches(manage())))).toBe(1);
    await addTwelve(small.client, 'weighed');
    expect(Math.max(...(await tasksOfBatches(small.client)))).toBe(1);
  });

  it('tasks that are kept', async () => {
    await small.client
      .index('weighed')
      .addDocuments([{ id: 1 }])
      .waitTask();
    await until('a deletion of tasks by itself', async () => {
      const { results } = await small.client.tasks.getTasks({ types: ['taskDeletion'] });
      return results.length > 0 ? true : null;
    });
  });

  it('the webhook of the launch, its header, and the secret that its requests are signed with', async () => {
    const { headers } = await until('a delivery', () => target.asked[0]);
    expect(headers.authorization).toBe(AUTHORIZATION);
    const names = Object.keys(headers);
    expect(names.filter((name) => name.includes('signature'))).toHaveLength(1);
    const [launched] = (await small.client.getWebhooks()).results;
    expect(launched).toMatchObject({ uuid: LAUNCH_WEBHOOK_UUID, isEditable: false });
    expect(JSON.stringify(launched)).not.toMatch(/of-the-launch|a-secret/);
    expect(small.stdout + small.stderr).not.toMatch(/of-the-launch|a-secret/);
  });
});

describe('options of searches', () => {
  it('query threads, and how many searches may wait', async () => {
    await manage()
      .index('films')
      .addDocuments([{ id: 1, title: 'Carol' }])
      .waitTask();
    const { hits } = await whenFree(() => manage().index('films').search('carol'));
    expect(hits).toHaveLength(1);
    expect(await metric('gannet_query_threads')).toBe(1);
    const queries = Array.from({ length: 20 }, (_, i) => ({ indexUid: 'films', q: `c${i}` }));
    const answer = await server.call('POST', '/multi-search', {
      ...sendJson({ queries }),
      headers: { ...bearer, 'content-type': 'application/json' },
    });
    expect([answer.status, answer.json]).toEqual([
      503,
      expect.objectContaining({ code: 'too_many_search_requests' }),
    ]);
  });

  it('answers and results that are kept: none', async () => {
    for (let i = 0; i < 3; i++) await whenFree(() => manage().index('films').search('caro'));
    expect(await metric('gannet_response_cache_hits_total')).toBe(0);
    expect(await metric('gannet_kept_results_bytes')).toBe(0);
  });
});

describe('options of embedders', () => {
  it('where Ollama is asked, and that no vector of a search is kept', async () => {
    const embedder = {
      source: 'ollama',
      model: 'm',
      dimensions: 2,
      documentTemplate: '{{doc.title}}',
    };
    expect((await embedded('by-ollama', embedder, ['a'])).error).toBeNull();
    await whenFree(() => manage().index('by-ollama').search('a'));
    const before = others.asked.length;
    const near = { hybrid: { embedder: 'e', semanticRatio: 1 } };
    let tries = 0;
    for (const _ of [1, 2])
      await whenFree(() => {
        tries += 1;
        return manage().index('by-ollama').search('near', near);
      });
    const since = others.asked.slice(before);
    expect(since.map(({ path }) => path)).toEqual(new Array(tries).fill('/api/embeddings'));
  });

  it('the key of OpenAI, which is sent to the URL of the options and to no other', async () => {
    const embedder = {
      source: 'openAi',
      model: 'text-embedding-3-small',
      dimensions: 2,
      documentTemplate: '{{doc.title}}',
    };
    await embedded('by-openai', embedder, ['a']);
    const keys = others.asked
      .filter(({ path }) => path === '/openai')
      .map(({ authorization }) => authorization);
    expect(new Set(keys)).toEqual(new Set(['Bearer a-key-of-openai']));
    await embedded('by-attacker', { ...embedder, url: `${others.url}/attacker` }, ['a']);
    const stolen = others.asked.filter(({ path }) => path === '/attacker');
    expect(stolen.length).toBeGreaterThan(0);
    expect(new Set(stolen.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
  });

  it('time for answers and for repetition, and failures that are passed over', async () => {
    const embedder = {
      source: 'rest',
      url: `${others.url}/rest`,
      dimensions: 2,
      request: { input: '{{text}}' },
      response: { embedding: '{{embedding}}' },
      documentTemplate: '{{doc.title}}',
    };
    const { error } = await embedded('by-rest', embedder, ['good', 'hangs', 'fails']);
    expect(error).toBeNull();
    const stats = await whenFree(() => manage().index('by-rest').getStats());
    expect(stats).toMatchObject({ numberOfDocuments: 3, numberOfEmbeddedDocuments: 1 });
  });

  it('where models are fetched', async () => {
    const embedders = { e: { source: 'huggingFace', model: 'some/model' } } as never;
    const task = await small.client.index('local').updateSettings({ embedders }).waitTask();
    expect(task.status).toBe('failed');
    expect(others.asked.some(({ path }) => path.includes('/hub/api/models/some/model'))).toBe(true);
  });
});

it('every option is shown somewhere', () => {
  for (const [key, shown] of Object.entries(SHOWN)) {
    if (shown === 'here') expect(given, key).toContain(key);
    else expect(readFileSync(shown[0], 'utf8'), `${key} in ${shown[0]}`).toContain(shown[1]);
  }
});
