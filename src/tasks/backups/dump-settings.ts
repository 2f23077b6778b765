/** Settings of an index as a dump holds them: in clear, without members that are not set. */
import { portableSettings, type Settings } from '../../model/settings.ts';

export const dumpedSettings = (settings: Settings): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(portableSettings(settings)).filter(([, value]) => value !== null),
  );
