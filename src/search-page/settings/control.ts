/** Props of every control of a setting. */
import { createContext } from 'preact';

export interface ControlProps<Value> {
  /** The setting's title, for the names of the control's parts. */
  readonly title: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export interface SettingsSurroundings {
  readonly index: string;
  /** Fields of the index's documents. */
  readonly fields: readonly string[];
  readonly indexes: readonly string[];
  /** Settings as they are stored. */
  readonly stored: Readonly<Record<string, unknown>>;
}

/** Always provided by the view. */
export const Surroundings = createContext<SettingsSurroundings>(
  null as unknown as SettingsSurroundings,
);
