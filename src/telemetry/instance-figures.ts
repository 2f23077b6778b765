/** What is told of an instance itself: which launch options were given, features, network. */
import type { Config } from '../../config/load.ts';
import type { Features } from '../model/features.ts';
import type { Network } from '../model/network.ts';
import type { ToldFigures } from '../model/usage-report.ts';

type Option = Config['givenOptions'][number];

/** Options of which is told whether they were given. */
const WHETHER_GIVEN: Readonly<Record<string, Option>> = {
  'infos.db_path': 'dbPath',
  'infos.import_dump': 'importDump',
  'infos.dump_dir': 'dumpDir',
  'infos.ignore_missing_dump': 'ignoreMissingDump',
  'infos.ignore_dump_if_db_exists': 'ignoreDumpIfDbExists',
  'infos.import_snapshot': 'importSnapshot',
  'infos.snapshot_dir': 'snapshotDir',
  'infos.ignore_missing_snapshot': 'ignoreMissingSnapshot',
  'infos.ignore_snapshot_if_db_exists': 'ignoreSnapshotIfDbExists',
  'infos.http_addr': 'httpAddr',
  'infos.ssl_auth_path': 'sslAuthPath',
  'infos.ssl_cert_path': 'sslCertPath',
  'infos.ssl_key_path': 'sslKeyPath',
  'infos.ssl_ocsp_path': 'sslOcspPath',
  'infos.ssl_resumption': 'sslResumption',
  'infos.ssl_tickets': 'sslTickets',
  'infos.with_configuration_file': 'configFilePath',
  'infos.task_queue_webhook': 'taskWebhookUrl',
  'infos.experimental_reduce_indexing_memory_usage': 'reduceIndexingMemoryUsage',
  'infos.experimental_dumpless_upgrade': 'upgradeDb',
};

const launchFigures = (config: Config): ToldFigures => ({
  ...Object.fromEntries(
    Object.entries(WHETHER_GIVEN).map(([name, option]) => [
      name,
      config.givenOptions.includes(option),
    ]),
  ),
  'infos.env': config.env,
  'infos.schedule_snapshot': config.scheduleSnapshot,
  'infos.http_payload_size_limit': config.httpPayloadSizeLimit,
  'infos.log_level': config.logLevel.replace(/[\w:.-]+=/g, 'part='),
  'infos.max_indexing_memory': config.maxIndexingMemory,
  'infos.max_indexing_threads': config.maxIndexingThreads,
  'infos.ssl_require_auth': config.sslRequireAuth,
  'infos.experimental_enable_metrics': config.enableMetrics,
  'infos.experimental_enable_logs_route': config.enableLogsRoute,
  'infos.experimental_embedding_cache_entries': config.embeddingCacheEntries,
  'infos.experimental_logs_mode': config.logsMode.toLowerCase(),
  'infos.experimental_search_queue_size': config.searchQueueSize,
  // What this server has no such option for.
  'infos.gpu_enabled': false,
  'infos.experimental_replication_parameters': false,
  'infos.experimental_no_edition_2024_for_settings': false,
});

export interface InstanceState {
  readonly features: Features;
  readonly network: Network;
  readonly databaseBytes: number;
  readonly indexCount: number;
  /** Milliseconds since this process started. */
  readonly upMs: number;
}

const DAY_MS = 86_400_000;

export const instanceFigures = (config: Config, state: InstanceState): ToldFigures => {
  const { features, network } = state;
  return {
    'stats.database_size': state.databaseBytes,
    'stats.indexes_number': state.indexCount,
    start_since_days: Math.floor(state.upMs / DAY_MS),
    'system.server_provider': config.serverProvider,
    ...launchFigures(config),
    'infos.experimental_composite_embedders': features.compositeEmbedders,
    'infos.experimental_contains_filter': features.containsFilter,
    'infos.experimental_edit_documents_by_function': features.editDocumentsByFunction,
    'infos.experimental_multimodal': features.multimodal,
    multimodal: features.multimodal,
    network: features.network,
    experimental_network: features.network,
    network_has_self: network.self !== null,
    network_size: Object.keys(network.remotes).length,
  };
};
