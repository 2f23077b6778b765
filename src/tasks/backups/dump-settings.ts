/** Settings of an index as a dump holds them: secrets in clear text, unset members left out. */
import { portableSettings, type Settings } from '../../model/settings.ts';

export const dumpedSettings = (settings: Settings): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(portableSettings(settings)).filter(([, value]) => value !== null),
  );
