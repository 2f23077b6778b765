/** Figures of the instance itself: launch options, features, sizes. */

import type { Config } from '../../config/load.ts';
import { schema } from '../../config/option-table.ts';
import { DAY_MS } from '../core/calendar-day.ts';
import type { Features } from '../model/features.ts';
import type { Network } from '../model/network.ts';
import type { FigureValues } from '../model/usage-report.ts';

/** Flags of which is sent whether they were given. */
const GIVEN = `db-path import-dump dump-dir ignore-missing-dump ignore-dump-if-db-exists
 import-snapshot snapshot-dir ignore-missing-snapshot ignore-snapshot-if-db-exists http-addr
 ssl-auth-path ssl-cert-path ssl-key-path ssl-ocsp-path ssl-resumption ssl-tickets
 experimental-reduce-indexing-memory-usage`.split(/\s+/);

/** Flags of which the value is sent. */
const VALUES = `env schedule-snapshot http-payload-size-limit max-indexing-memory
 max-indexing-threads ssl-require-auth experimental-enable-metrics experimental-enable-logs-route
 experimental-embedding-cache-entries experimental-search-queue-size
 experimental-replication-parameters`.split(/\s+/);

export interface InstanceFacts {
  readonly features: Features;
  readonly network: Network;
  readonly databaseBytes: number;
  readonly indexCount: number;
  /** Milliseconds since this process started. */
  readonly upMs: number;
}

export function instanceFigures(config: Config, state: InstanceFacts): FigureValues {
  const { features, network } = state;
  const given = new Set<string>(config.givenOptions);
  const values = config as unknown as FigureValues;
  const options = Object.entries(schema).flatMap(([option, { arg }]) => {
    const name = `infos.${arg.replaceAll('-', '_')}`;
    if (GIVEN.includes(arg)) return [[name, given.has(option)] as const];
    return VALUES.includes(arg) ? [[name, values[option] ?? null] as const] : [];
  });
  return {
    'stats.database_size': state.databaseBytes,
    'stats.indexes_number': state.indexCount,
    start_since_days: Math.floor(state.upMs / DAY_MS),
    'system.server_provider': config.serverProvider,
    ...Object.fromEntries(options),
    'infos.with_configuration_file': given.has('configFilePath'),
    'infos.task_queue_webhook': given.has('taskWebhookUrl'),
    'infos.experimental_dumpless_upgrade': given.has('upgradeDb'),
    'infos.log_level': config.logLevel.replace(/[\w:.-]+=/g, 'part='),
    'infos.experimental_logs_mode': config.logsMode.toLowerCase(),
    // Options that this server does not have.
    'infos.gpu_enabled': false,
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
