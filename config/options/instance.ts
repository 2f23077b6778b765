/** Launch options of what an instance is: its data, its processes, its start. */
import { option } from './option.ts';

type Role = 'all' | 'front' | 'indexer';

export const instanceOptions = {
  configFilePath: option<string | null>({
    doc: 'Config file; `./config.toml` is read when it exists and none is named.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_CONFIG_FILE_PATH',
    arg: 'config-file-path',
  }),
  dbPath: option<string>({
    doc: 'Data folder.',
    format: 'text',
    default: './data.ms',
    env: 'SVC_DB_PATH',
    arg: 'db-path',
  }),
  env: option<'development' | 'production'>({
    doc: 'development or production; production insists on a master key. With `NODE_ENV=production` production is the default.',
    format: ['development', 'production'],
    default: 'development',
    env: 'SVC_ENV',
    arg: 'env',
  }),
  role: option<Role>({
    doc: 'all = supervisor with a front and the indexer; front or indexer = that one alone.',
    format: ['all', 'front', 'indexer'],
    default: 'all',
    env: 'SVC_ROLE',
    arg: 'role',
  }),
  indexerAddr: option<string | null>({
    doc: 'Where the indexer listens for fronts: a unix socket path or `host:port`; default a socket in the data folder.',
    format: 'text',
    default: null,
    nullable: true,
    env: 'SVC_INDEXER_ADDR',
    arg: 'indexer-addr',
  }),
  indexerSecret: option<string | null>({
    doc: 'What fronts and indexer know each other by, 16 bytes or more; needed where `--indexer-addr` is `host:port`, default a file in the data folder.',
    format: 'text',
    default: null,
    nullable: true,
    sensitive: true,
    env: 'SVC_INDEXER_SECRET',
    arg: 'indexer-secret',
  }),
  upgradeDb: option<boolean>({
    doc: 'Upgrades a data folder, or a snapshot to begin with, of an older format before anything listens; docs/upgrading.md.',
    format: 'flag',
    default: false,
    env: 'SVC_UPGRADE_DB',
    arg: 'upgrade-db',
  }),
  noWarmUp: option<boolean>({
    doc: 'Query threads do not warm up after a start: with single letters of large indexes before the front listens, for a second at most, then with recorded searches.',
    format: 'flag',
    default: false,
    env: 'SVC_NO_WARM_UP',
    arg: 'no-warm-up',
  }),
};
