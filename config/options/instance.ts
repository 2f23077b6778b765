/** Launch options of the instance: data folder, roles, start. */
import { option } from './option.ts';

type Role = 'all' | 'front' | 'indexer' | 'writer' | 'reader';

export const instanceOptions = {
  configFilePath: option<string | null>({
    doc: 'Config file; default `./config.toml`, if it exists.',
    format: 'text',
    default: null,
    arg: 'config-file-path',
  }),
  dbPath: option<string>({
    doc: 'Data folder.',
    format: 'text',
    default: './data.ms',
    arg: 'db-path',
  }),
  store: option<string | null>({
    doc: 'Object store with all data: `s3://bucket/prefix` or `file:///path`; the data folder is then its cache. Default: all data is in the data folder. See docs/object-storage.md.',
    format: 'text',
    default: null,
    arg: 'store',
  }),
  env: option<'development' | 'production'>({
    doc: 'development or production; production requires a master key. With `NODE_ENV=production` the default is production.',
    format: ['development', 'production'],
    default: 'development',
    arg: 'env',
  }),
  role: option<Role>({
    doc: 'all = supervisor with a front and the indexer; front or indexer = only this role. With `--store`: all = reads, and writes if no other node does; reader = never writes; writer = replaces the node that writes.',
    format: ['all', 'front', 'indexer', 'writer', 'reader'],
    default: 'all',
    arg: 'role',
  }),
  nodeUrl: option<string | null>({
    doc: 'URL at which the other nodes of the object store of `--store` reach this node; default: scheme, host and port of `--http-addr`, with the name of the machine for an address of all interfaces.',
    format: 'text',
    default: null,
    arg: 'node-url',
  }),
  readerPollMs: option<number>({
    doc: 'Milliseconds between two looks of a node of `--store` for commits of the node that writes.',
    format: 'positive',
    default: 150,
    arg: 'reader-poll-ms',
  }),
  storeCacheSize: option<number | null>({
    doc: 'Bytes of the indexes on the disk of a node of `--store`; the first search or batch of another index fetches it. Default: all indexes are there.',
    format: 'size',
    default: null,
    arg: 'store-cache-size',
  }),
  takeoverSeconds: option<number>({
    doc: 'Seconds without a write or heartbeat of the node that writes after which another node of `--role all` writes.',
    format: 'positive',
    default: 4,
    arg: 'takeover-seconds',
  }),
  indexerAddr: option<string | null>({
    doc: 'Address on which the indexer listens for fronts: a unix socket path or `host:port`; default a socket in the data folder.',
    format: 'text',
    default: null,
    arg: 'indexer-addr',
  }),
  indexerSecret: option<string | null>({
    doc: 'Shared secret of fronts and indexer, at least 16 bytes. Required if `--indexer-addr` is `host:port`; default: a file in the data folder.',
    format: 'text',
    default: null,
    sensitive: true,
    arg: 'indexer-secret',
  }),
  upgradeDb: option<boolean>({
    doc: 'Upgrades a data folder, or a snapshot to import, from an older format before the server listens; see docs/upgrading.md.',
    format: 'flag',
    default: false,
    arg: 'upgrade-db',
  }),
  noWarmUp: option<boolean>({
    doc: 'Disables the warm-up of query threads after a start: searches for single letters in large indexes before the front listens, for at most a second, then recorded searches. Query and indexing threads then start with their first task.',
    format: 'flag',
    default: false,
    arg: 'no-warm-up',
  }),
};
