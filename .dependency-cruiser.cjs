/**
 * The directions of imports, executable: a folder of src imports itself and what is on its line,
 * nothing else. `config` on a line is the folder beside src.
 */
const LAYERS = {
  core: [],
  model: ['core'],
  observability: ['core'],
  engine: ['core'],
  csv: ['core', 'engine'],
  os: [],
  'edit-function': ['core', 'engine'],
  auth: ['core', 'model', 'http-client'],
  'http-client': [],
  chat: ['core', 'model', 'observability', 'http-client'],
  embedding: ['core', 'model', 'observability', 'http-client'],
  ipc: ['core', 'model', 'observability'],
  storage: ['core', 'engine', 'observability', 'http-client'],
  segments: ['core', 'model', 'engine'],
  search: ['core', 'model', 'engine', 'segments'],
  queries: [
    'core',
    'model',
    'engine',
    'segments',
    'storage',
    'search',
    'embedding',
    'ipc',
    'observability',
  ],
  catalog: ['core', 'model', 'storage'],
  rerank: ['core', 'model', 'engine', 'observability', 'http-client'],
  export: ['core', 'model', 'http-client'],
  network: ['core', 'model', 'engine', 'http-client'],
  analytics: ['core', 'model', 'observability', 'storage', 'ipc'],
  telemetry: ['config', 'core', 'model', 'http-client'],
  webhooks: ['core', 'model', 'storage', 'observability', 'http-client'],
  indexing: [
    'core',
    'model',
    'engine',
    'csv',
    'edit-function',
    'segments',
    'catalog',
    'embedding',
    'ipc',
    'observability',
  ],
  tasks: [
    'core',
    'model',
    'storage',
    'catalog',
    'dumps',
    'indexing',
    'ipc',
    'observability',
    'webhooks',
    'export',
    'http-client',
  ],
  api: [
    'core',
    'mcp',
    'model',
    'auth',
    'chat',
    'edit-function',
    'embedding',
    'ipc',
    'network',
    'observability',
    'http-client',
    'rerank',
    'telemetry',
  ],
  payloads: ['core', 'model', 'engine', 'storage', 'indexing', 'ipc', 'api'],
  http: ['config', 'core', 'model', 'engine', 'auth', 'api', 'observability'],
  runtime: ['core', 'observability', 'ipc'],
  cluster: [
    'core',
    'model',
    'observability',
    'http-client',
    'ipc',
    'storage',
    'catalog',
    'tasks',
    'webhooks',
    'api',
  ],
  upgrade: ['core', 'engine', 'storage', 'observability'],
  dumps: [
    'core',
    'model',
    'engine',
    'segments',
    'storage',
    'catalog',
    'indexing',
    'tasks',
    'webhooks',
    'api',
    'http',
    'observability',
    'upgrade',
  ],
  'docs-page': [],
  'search-page': ['core', 'model'],
  mcp: [],
  migration: ['core', 'model'],
  cli: [
    'config',
    'core',
    'csv',
    'mcp',
    'model',
    'dumps',
    'migration',
    'observability',
    'runtime',
    'storage',
  ],
};

/**
 * The rooms of a folder, from the ground up: a room imports itself and the rooms on its line; only
 * the files beside the rooms import all of them.
 */
const ROOMS = {
  ipc: {
    threads: [],
    replica: [],
    connection: ['replica'],
    queries: ['threads', 'replica'],
  },
  api: { contract: [], searches: ['contract'], settings: ['contract'], description: ['contract'] },
  storage: {
    files: [],
    database: ['files'],
    'data-folder': ['files', 'database'],
    backups: ['files'],
    'object-store': ['files', 'database', 'data-folder'],
  },
  segments: {
    contract: [],
    columns: ['contract'],
    vectors: ['contract'],
    documents: ['contract', 'vectors'],
  },
  dumps: { format: [], write: ['format'], read: ['format'] },
  indexing: { payload: [], files: [], batch: ['payload', 'files'] },
  'engine/analysis': {
    characters: [],
    languages: ['characters'],
    tokens: ['characters', 'languages'],
    words: ['characters', 'languages', 'tokens'],
  },
  search: {
    sets: [],
    snapshot: ['sets'],
    query: ['sets', 'snapshot'],
    filter: ['sets', 'snapshot'],
    matching: ['sets', 'snapshot', 'query'],
    relevance: ['sets', 'snapshot', 'query', 'matching'],
    values: ['sets', 'snapshot', 'filter'],
    semantic: ['sets', 'snapshot'],
    ranking: ['sets', 'snapshot', 'query', 'matching', 'relevance', 'values', 'semantic'],
    answer: ['sets', 'snapshot', 'query', 'matching', 'values', 'ranking'],
  },
  tasks: {
    store: [],
    batching: ['store'],
    processing: ['store', 'batching'],
    kinds: ['store', 'batching', 'processing'],
    publishing: ['store', 'processing'],
    merging: ['processing', 'publishing'],
  },
};

/**
 * Rooms that a first reader can skip, by their only importers in the product, which register them or
 * hand them requests.
 */
const LEAVES = {
  'edit-function': ['src/indexing/batch/edit-documents', 'src/api/routes/document-edit-routes'],
  migration: ['src/cli/migrate/'],
  'cli/migrate': ['src/cli/commands/', 'src/cli/sync/sync-target'],
  'cli/sync': ['src/cli/commands/'],
  mcp: [
    'src/cli/commands/mcp-command',
    'src/api/contract/context',
    'src/api/routes/mcp-routes',
    'workers/front-service',
  ],
  analytics: ['workers/indexer', 'workers/front-service', 'workers/analytics'],
  telemetry: ['workers/indexer', 'workers/front-service', 'src/api/contract/context'],
  'search-page': [],
  'docs-page': [],
  chat: [
    'workers/front-service',
    'src/api/contract/context',
    'src/api/routes/chats-routes',
    'src/api/searches/chat-search',
  ],
  webhooks: [
    'src/tasks/indexer-parts',
    'src/tasks/publishing/batch-commits',
    'src/dumps/read/',
    'src/cluster/follower',
  ],
  cluster: ['workers/indexer-store', 'workers/store-node', 'workers/front-service'],
  network: [
    'workers/front-service',
    'src/api/contract/context',
    'src/api/searches/(network-documents|federated-remotes|foreign-documents|hydrated-hits)',
  ],
};

/** The only files of the pure folders that read a file: word lists of packages. */
const DATA_OF_ANALYSIS = 'src/engine/analysis/languages/word-lists\\.ts$';

/** The only files of the pure folders that ask Node for a module: those that load data when it is needed. */
const LOADS_WHEN_NEEDED = ['src/engine/analysis/languages/stemmers\\.ts$', DATA_OF_ANALYSIS];

/** Who may import what from outside; everything else in src, workers and config may not. */
const OUTSIDE = [
  {
    what: '/node_modules/(uWebSockets\\.js|uws-pack|@btc-vision/uwebsockets\\.js)/',
    who: ['src/http/uws-server\\.ts$'],
  },
  { what: '/node_modules/piscina/', who: ['src/ipc/threads/thread-pool\\.ts$'] },
  { what: '/node_modules/rocksdb-native/', who: ['src/storage/database/rocksdb-store\\.ts$'] },
  { what: '/node_modules/koffi/', who: ['src/os/', 'src/storage/files/'] },
  { what: '/node_modules/typebox/', who: ['src/model/', 'src/api/', 'src/http/'] },
  {
    what: '/node_modules/opencc-js/',
    who: ['src/engine/analysis/languages/chinese-variants\\.ts$'],
  },
  { what: '/node_modules/tar-stream/', who: ['src/storage/backups/archive\\.ts$'] },
  {
    what: '/node_modules/(@orama/stemmers|stemmer)/',
    who: ['src/engine/analysis/languages/stemmers\\.ts$'],
  },
  { what: '/node_modules/node-cron/', who: ['src/dumps/write/snapshot-schedule\\.ts$'] },
  { what: '/node_modules/@opentelemetry/', who: ['src/observability/otlp(-metrics)?\\.ts$'] },
  { what: '/node_modules/jose/', who: ['src/auth/(openid-tokens|provider-keys)\\.ts$'] },
  { what: '/node_modules/(pg|@types/pg)/', who: ['src/cli/sync/'] },
  { what: '/node_modules/convict/', who: ['config/'] },
  {
    what: '/node_modules/lru-cache/',
    who: ['src/(auth|embedding|indexing|network|rerank|tasks)/', 'src/search/snapshot/'],
  },
  { what: '/node_modules/liquidjs/', who: ['src/embedding/templates/'] },
  { what: '/node_modules/@modelcontextprotocol/', who: ['src/mcp/'] },
  { what: '/node_modules/preact/', who: ['src/search-page/'] },
  { what: '/node_modules/@huggingface/tokenizers/', who: ['src/embedding/local/'] },
  { what: '/node_modules/onnxruntime-', who: ['src/embedding/local/'] },
  { what: '/node_modules/pino/', who: ['src/observability/'] },
  {
    what: '^(node:)?fs(/promises)?$',
    who: [
      'src/storage/',
      'src/os/host-system\\.ts$',
      'src/runtime/(stale-socket|create-server)\\.ts$',
      DATA_OF_ANALYSIS,
      'src/cli/',
      'config/',
      'workers/',
      'scripts/',
    ],
  },
  { what: '/node_modules/uuid/', who: ['src/(api|dumps|http|tasks)/'] },
  { what: '/node_modules/aws4fetch/', who: ['src/storage/object-store/s3-store\\.ts$'] },
  { what: '/node_modules/undici/', who: ['src/http-client/'] },
  { what: '/node_modules/ipaddr\\.js/', who: ['src/http-client/', 'src/auth/'] },
  { what: '^(node:)?https?$', who: ['src/http/', 'src/cli/sync/metrics-server\\.ts$'] },
  { what: '^(node:)?child_process$', who: ['src/runtime/', 'scripts/'] },
];

const CODE = '^(src|workers|config|scripts|load-tests|test)/';
const known = Object.keys(LAYERS).join('|');

const layerRules = Object.entries(LAYERS).map(([layer, allowed]) => ({
  name: `layer-${layer}`,
  comment: `src/${layer} imports itself and ${allowed.join(', ') || 'nothing else'}`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: {
    path: CODE,
    pathNot: `^(src/(${[layer, ...allowed].join('|')})${allowed.includes('config') ? '|config' : ''})/`,
  },
}));

const roomRules = Object.entries(ROOMS).flatMap(([folder, rooms]) =>
  Object.entries(rooms).map(([room, allowed]) => ({
    name: `room-${folder}/${room}`,
    comment: `src/${folder}/${room} imports of its neighbours ${allowed.join(', ') || 'none'}`,
    severity: 'error',
    from: { path: `^src/${folder}/${room}/` },
    to: {
      path: `^src/${folder}/`,
      pathNot: `^src/${folder}/(${[room, ...allowed].join('|')})/`,
    },
  })),
);

const leafRules = Object.entries(LEAVES).map(([room, importers]) => ({
  name: `leaf-${room}`,
  comment: `src/${room} is a leaf, which only ${importers.join(', ') || 'the build'} imports`,
  severity: 'error',
  from: {
    path: '^(src|workers|config)/',
    pathNot: `^(${[`src/${room}/`, ...importers].join('|')})`,
  },
  to: { path: `^src/${room}/` },
}));

const outsideRules = OUTSIDE.map(({ what, who }) => ({
  name: `only-${who[0].replace(/[^a-z-]/g, '')}-imports-${what.replace(/[^a-z]/gi, '')}`,
  severity: 'error',
  from: { path: '^(src|workers|config)/', pathNot: `^(${who.join('|')})` },
  to: { path: what.startsWith('/') ? what.slice(1) : what },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    ...roomRules,
    ...leafRules,
    ...outsideRules,
    {
      name: 'folder-without-a-line',
      comment: 'a new folder of src needs a line in LAYERS',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/((${known})/|main\\.ts$)` },
      to: {},
    },
    {
      name: 'nobody-imports-a-folder-without-a-line',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/((${known})/|main\\.ts$)` },
    },
    {
      name: 'the-format-of-dumps-is-pure',
      severity: 'error',
      from: { path: '^src/dumps/format/' },
      to: { path: CODE, pathNot: '^src/(dumps/format|core|model)/' },
    },
    {
      name: 'only-programs-read-dumps-into-a-data-folder',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/dumps/read/' },
      to: { path: '^src/dumps/read/' },
    },
    {
      name: 'main',
      severity: 'error',
      from: { path: '^src/main\\.ts$' },
      to: { path: CODE, pathNot: '^(src/(core|runtime|storage|observability)|config)/' },
    },
    {
      name: 'config-imports-nothing-of-src',
      severity: 'error',
      from: { path: '^config/' },
      to: { path: CODE, pathNot: '^config/' },
    },
    {
      name: 'nobody-imports-workers',
      comment: 'composition roots are entries',
      severity: 'error',
      from: { path: '^(src|config|scripts)/' },
      to: { path: '^workers/' },
    },
    {
      name: 'pure-folders-use-no-node-module',
      severity: 'error',
      from: { path: '^src/(core|engine|search)/', pathNot: LOADS_WHEN_NEEDED },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { path: '^(src|workers|config|scripts)/' },
      to: { path: '^(test|load-tests)/' },
    },
    {
      name: 'no-tests-in-measurements',
      comment: 'The build compiles no tests.',
      severity: 'error',
      from: { path: '^load-tests/' },
      to: { path: '^test/' },
    },
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'no-cycles-elsewhere',
      comment: 'types of test models refer to each other',
      severity: 'error',
      from: { pathNot: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '(^|/)dist/' },
    },
    {
      name: 'no-dev-dependency-in-the-product',
      comment: 'what browsers and assistants load is bundled by the build',
      severity: 'error',
      from: { path: '^(src|workers|config)/', pathNot: '^src/(search-page|docs-page|mcp)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        // Types of optional packages, loaded by their names.
        pathNot: '(^|/)node_modules/@(types|opentelemetry)/',
      },
    },
  ],
  options: {
    doNotFollow: { path: ['(^|/)node_modules/', '^dist'] },
    exclude: { path: '^(dist|load-tests/k6)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
