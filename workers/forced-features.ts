/**
 * Experimental features that launch options enable at each start. The indexer's options apply to
 * the instance.
 */
import type { Config } from '../config/load.ts';
import { schema } from '../config/option-table.ts';
import type { Feature } from '../src/model/features.ts';

const FORCING_OPTIONS = [
  ['containsFilter', 'containsFilter'],
  ['legacySearch', 'legacySearch'],
  ['enableMetrics', 'metrics'],
  ['enableLogsRoute', 'logsRoute'],
] as const satisfies readonly (readonly [keyof Config, Feature])[];

type Options = Pick<Config, (typeof FORCING_OPTIONS)[number][0]>;

export const forcedFeatures = (config: Options): readonly Feature[] =>
  FORCING_OPTIONS.filter(([option]) => config[option]).map(([, feature]) => feature);

/** A warning for each such option of a front without an indexer, where it has no effect. */
export const warningsOfFront = (config: Options & Pick<Config, 'role'>): readonly string[] =>
  config.role !== 'front'
    ? []
    : FORCING_OPTIONS.filter(([option]) => config[option]).map(
        ([option, feature]) =>
          `option \`--${schema[option].arg}\` has no effect on a front without an indexer: set it for the indexer, which enables \`${feature}\``,
      );
