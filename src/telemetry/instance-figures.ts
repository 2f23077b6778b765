/** Figures of the instance itself: launch options, features, sizes. */

import type { Config } from '../../config/load.ts';
import { schema } from '../../config/option-table.ts';
import { DAY_MS } from '../core/calendar-day.ts';
import { snakeCase } from '../core/snake-case.ts';
import type { Features } from '../model/features.ts';
import type { Network } from '../model/network.ts';
import type { FigureValues } from '../model/usage-report.ts';

export interface InstanceFacts {
  readonly features: Features;
  readonly network: Network;
  readonly databaseBytes: number;
  readonly indexCount: number;
  /** Milliseconds since this process started. */
  readonly upMs: number;
}

/** Of given options, the value if it is a number or a boolean, else only that they are given. */
export function instanceFigures(config: Config, state: InstanceFacts): FigureValues {
  const { features, network } = state;
  const values: Readonly<Record<string, unknown>> = { ...config };
  const options = config.givenOptions.map((option) => {
    const value = values[option];
    const isText = typeof value !== 'number' && typeof value !== 'boolean';
    return [`infos.${schema[option].arg.replaceAll('-', '_')}`, isText ? true : value] as const;
  });
  return {
    'stats.database_size': state.databaseBytes,
    'stats.indexes_number': state.indexCount,
    start_since_days: Math.floor(state.upMs / DAY_MS),
    'system.server_provider': config.serverProvider,
    ...Object.fromEntries(
      Object.entries(features).map(([name, isOn]) => [
        `infos.experimental_${snakeCase(name)}`,
        isOn,
      ]),
    ),
    network_has_self: network.self !== null,
    network_size: Object.keys(network.remotes).length,
    ...Object.fromEntries(options),
    'infos.env': config.env,
  };
}
