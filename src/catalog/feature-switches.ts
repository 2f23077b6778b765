/**
 * Enabled experimental features: switches set through the API, stored under ("meta", "features"),
 * override the launch options.
 */

import { FEATURES, type Features, type FeaturesUpdate, NO_FEATURES } from '../model/features.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';
import { StoredValue } from './stored-value.ts';

type Switched = Partial<Record<keyof Features, boolean>>;

/** The members that enable or disable a known feature. */
const switchesOf = (value: object): Switched =>
  Object.fromEntries(
    Object.entries(value).filter(([name, on]) => isFeature(name) && typeof on === 'boolean'),
  );

const isFeature = (name: string): boolean => (FEATURES as readonly string[]).includes(name);

export class FeatureSwitches {
  readonly #stored: StoredValue<object>;
  #current: Features;

  private constructor(stored: StoredValue<object>, forced: readonly (keyof Features)[]) {
    this.#stored = stored;
    const on = Object.fromEntries(forced.map((name) => [name, true]));
    this.#current = { ...NO_FEATURES, ...switchesOf(stored.current), ...on };
  }

  /**
   * @param forced features enabled at start, whatever is stored; an update can disable them until
   * the next start
   */
  static async load(
    store: KeyValueStore,
    forced: readonly (keyof Features)[],
  ): Promise<FeatureSwitches> {
    return new FeatureSwitches(await StoredValue.load(store, 'features', {}), forced);
  }

  get current(): Features {
    return this.#current;
  }

  /** Resolves to the new state when it is durable. */
  async update(change: FeaturesUpdate): Promise<Features> {
    const switches = switchesOf(change);
    await this.#stored.change((before) => ({ value: { ...switchesOf(before), ...switches } }));
    this.#current = { ...this.#current, ...switches };
    return this.#current;
  }
}
