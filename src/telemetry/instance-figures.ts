/** Figures of the instance itself: launch options, features, sizes. */
import type { Config } from '../../config/load.ts';
import type { Features } from '../model/features.ts';
import type { Network } from '../model/network.ts';
import type { FigureValues } from '../model/usage-report.ts';
import { snakeCase } from './usage-events.ts';

type Option = Config['givenOptions'][number];

/** Options of which is sent whether they were given. */
const WHETHER_GIVEN: readonly Option[] = [
  ...(['dbPath', 'importDump', 'dumpDir', 'ignoreMissingDump', 'ignoreDumpIfDbExists'] as const),
  ...(['importSnapshot', 'snapshotDir', 'ignoreMissingSnapshot'] as const),
  ...(['ignoreSnapshotIfDbExists', 'httpAddr', 'sslAuthPath', 'sslCertPath'] as const),
  ...(['sslKeyPath', 'sslOcspPath', 'sslResumption', 'sslTickets'] as const),
];

export interface InstanceState {
  readonly features: Features;
  readonly network: Network;
  readonly databaseBytes: number;
  readonly indexCount: number;
  /** Milliseconds since this process started. */
  readonly upMs: number;
}

const DAY_MS = 86_400_000;

export function instanceFigures(config: Config, state: InstanceState): FigureValues {
  const { features, network } = state;
  const isGiven = (option: Option): boolean => config.givenOptions.includes(option);
  return {
    'stats.database_size': state.databaseBytes,
    'stats.indexes_number': state.indexCount,
    start_since_days: Math.floor(state.upMs / DAY_MS),
    'system.server_provider': config.serverProvider,
    ...Object.fromEntries(
      WHETHER_GIVEN.map((option) => [`infos.${snakeCase(option)}`, isGiven(option)]),
    ),
    'infos.with_configuration_file': isGiven('configFilePath'),
    'infos.task_queue_webhook': isGiven('taskWebhookUrl'),
    'infos.experimental_reduce_indexing_memory_usage': isGiven('reduceIndexingMemoryUsage'),
    'infos.experimental_dumpless_upgrade': isGiven('upgradeDb'),
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
    // Options that this server does not have.
    'infos.gpu_enabled': false,
    'infos.experimental_replication_parameters': false,
    'infos.experimental_no_edition_2024_for_settings': false,
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
}
