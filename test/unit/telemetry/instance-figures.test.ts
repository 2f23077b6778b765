/** Figures of the instance: every name of the specification, with values of options that have one. */
import { expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { NO_FEATURES } from '../../../src/model/features.ts';
import { NO_NETWORK } from '../../../src/model/network.ts';
import { instanceFigures } from '../../../src/telemetry/instance-figures.ts';

const OPTIONS = `env db_path import_dump dump_dir ignore_missing_dump ignore_dump_if_db_exists
 import_snapshot schedule_snapshot snapshot_dir ignore_missing_snapshot ignore_snapshot_if_db_exists
 http_addr http_payload_size_limit log_level max_indexing_memory max_indexing_threads ssl_auth_path
 ssl_cert_path ssl_key_path ssl_ocsp_path ssl_require_auth ssl_resumption ssl_tickets
 with_configuration_file task_queue_webhook gpu_enabled`.split(/\s+/);

const EXPERIMENTAL = `composite_embedders contains_filter edit_documents_by_function enable_metrics
 embedding_cache_entries multimodal no_edition_2024_for_settings replication_parameters
 reduce_indexing_memory_usage logs_mode enable_logs_route search_queue_size
 dumpless_upgrade`.split(/\s+/);

const OTHERS = `stats.database_size stats.indexes_number start_since_days system.server_provider
 network experimental_network network_has_self network_size multimodal`.split(/\s+/);

const figuresOf = (...args: string[]) =>
  instanceFigures(loadConfig({ args, env: {}, cwd: '/nowhere' }), {
    features: { ...NO_FEATURES, multimodal: true },
    network: NO_NETWORK,
    databaseBytes: 5,
    indexCount: 2,
    upMs: 200_000_000,
  });

it('has each name of the specification, and a value for each', () => {
  const figures = figuresOf();
  const names = [
    ...OPTIONS.map((name) => `infos.${name}`),
    ...EXPERIMENTAL.map((name) => `infos.experimental_${name}`),
    ...OTHERS,
  ];
  expect(Object.keys(figures).sort()).toEqual(names.sort());
  expect(Object.values(figures)).not.toContain(undefined);
});

it('has whether a path was given, the values of other options, and no path', () => {
  const figures = figuresOf('--dump-dir', '/secret', '--max-indexing-threads', '3');
  expect(figures).toMatchObject({
    'infos.dump_dir': true,
    'infos.snapshot_dir': false,
    'infos.max_indexing_threads': 3,
    'infos.env': 'development',
    'infos.experimental_multimodal': true,
    start_since_days: 2,
  });
  expect(JSON.stringify(figures)).not.toContain('secret');
});
