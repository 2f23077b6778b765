/** Figures of the instance: sizes, features, and the options that were given. */
import { expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { NO_FEATURES } from '../../../src/model/features.ts';
import { NO_NETWORK } from '../../../src/model/network.ts';
import { instanceFigures } from '../../../src/telemetry/instance-figures.ts';

const figuresOf = (...args: string[]) =>
  instanceFigures(loadConfig({ args, env: {}, cwd: '/nowhere' }), {
    features: { ...NO_FEATURES, multimodal: true },
    network: NO_NETWORK,
    databaseBytes: 5,
    indexCount: 2,
    upMs: 200_000_000,
  });

it('has sizes, age, features and network', () => {
  const figures = figuresOf();
  expect(figures).toMatchObject({
    'stats.database_size': 5,
    'stats.indexes_number': 2,
    start_since_days: 2,
    'system.server_provider': null,
    'infos.experimental_multimodal': true,
    'infos.experimental_contains_filter': false,
    network_has_self: false,
    network_size: 0,
  });
  expect(Object.values(figures)).not.toContain(undefined);
});

it('has numbers and switches of given options, and of other options only that they are given', () => {
  const figures = figuresOf(
    ...['--dump-dir', '/secret', '--max-indexing-threads', '3', '--env', 'development'],
    ...['--http-addr', 'secret:1', '--log-level', 'INFO,secret=debug', '--no-warm-up'],
  );
  const options = Object.entries(figures).filter(
    ([name]) => name.startsWith('infos.') && !name.startsWith('infos.experimental_'),
  );
  expect(Object.fromEntries(options)).toEqual({
    'infos.dump_dir': true,
    'infos.max_indexing_threads': 3,
    'infos.env': 'development',
    'infos.http_addr': true,
    'infos.log_level': true,
    'infos.no_warm_up': true,
  });
  expect(JSON.stringify(figures)).not.toContain('secret');
});
