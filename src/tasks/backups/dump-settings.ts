/** Settings of an index as a dump holds them: in clear, without members that are not set. */
import { DEFAULT_SETTINGS, type Settings } from '../../model/settings.ts';

/** Members that other servers refuse where the feature behind them is off. */
const GATED: readonly (keyof Settings)[] = ['chat', 'foreignKeys'];

export const dumpedSettings = (settings: Settings): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => {
      if (value === null) return false;
      const member = name as keyof Settings;
      const isDefault = JSON.stringify(value) === JSON.stringify(DEFAULT_SETTINGS[member]);
      return !(GATED.includes(member) && isDefault);
    }),
  );
