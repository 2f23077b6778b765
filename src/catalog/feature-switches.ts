/**
 * Enabled experimental features: switches set through the API, stored under ("meta", "features"),
 * override the launch options.
 */

import { jsonBytes } from '../core/json.ts';
import { FEATURES, type Features, type FeaturesUpdate, NO_FEATURES } from '../model/features.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import { encodeKey } from '../storage/database/key-encoding.ts';
import { type KeyValueStore, put } from '../storage/database/key-value-store.ts';

type Switched = Partial<Record<keyof Features, boolean>>;

const FEATURES_KEY = encodeKey('meta', 'features');

/** The members that enable or disable a known feature. */
const switchesOf = (value: object): Switched =>
  Object.fromEntries(
    Object.entries(value).filter(([name, on]) => isFeature(name) && typeof on === 'boolean'),
  );

const isFeature = (name: string): boolean => (FEATURES as readonly string[]).includes(name);

export class FeatureSwitches {
  readonly #store: KeyValueStore;
  /** Switches that are stored or being stored. */
  #stored: Switched;
  /** The features when all running writes are done. */
  #next: Features;
  #current: Features;

  private constructor(store: KeyValueStore, stored: Switched, forced: readonly (keyof Features)[]) {
    this.#store = store;
    this.#stored = stored;
    const on = Object.fromEntries(forced.map((name) => [name, true]));
    this.#next = { ...NO_FEATURES, ...stored, ...on };
    this.#current = this.#next;
  }

  /**
   * @param forced features enabled at start, whatever is stored; an update can disable them until
   * the next start
   */
  static async load(
    store: KeyValueStore,
    forced: readonly (keyof Features)[],
  ): Promise<FeatureSwitches> {
    const value = await store.get(FEATURES_KEY);
    const stored = value === null ? {} : switchesOf(readStored<object>('set of features', value));
    return new FeatureSwitches(store, stored, forced);
  }

  get current(): Features {
    return this.#current;
  }

  /** Resolves to the new state when it is durable. */
  async update(change: FeaturesUpdate): Promise<Features> {
    const switches = switchesOf(change);
    this.#stored = { ...this.#stored, ...switches };
    this.#next = { ...this.#next, ...switches };
    const after = this.#next;
    await this.#store.write([put(FEATURES_KEY, jsonBytes(this.#stored))]);
    this.#current = after;
    return after;
  }
}
