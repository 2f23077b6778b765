/** Experimental features that launch options switch on at each start: the indexer decides for all. */
import type { Config } from '../config/load.ts';
import { schema } from '../config/schema.ts';
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

/** One line for each that a front alone was given, which can switch nothing on. */
export const warningsOfFront = (config: Options & Pick<Config, 'role'>): readonly string[] =>
  config.role !== 'front'
    ? []
    : FORCING_OPTIONS.filter(([option]) => config[option]).map(
        ([option, feature]) =>
          `option \`--${schema[option].arg}\` does nothing for a front alone: the indexer switches \`${feature}\` on, give it there`,
      );
