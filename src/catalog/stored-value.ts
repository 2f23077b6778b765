/** A JSON value of the instance, stored under ("meta", kind) and held in memory. */
import { jsonBytes } from '../core/json.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import { type Network, NO_NETWORK } from '../model/network.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import { encodeKey } from '../storage/database/key-encoding.ts';
import { type KeyValueStore, put } from '../storage/database/key-value-store.ts';

type Kind = 'aliases' | 'features' | 'network';

export class StoredValue<Value> {
  readonly #store: KeyValueStore;
  readonly #kind: Kind;
  readonly #changes = new SerialQueue();
  #current: Value;

  private constructor(store: KeyValueStore, kind: Kind, current: Value) {
    this.#store = store;
    this.#kind = kind;
    this.#current = current;
  }

  /** @param initial the value if none is stored */
  static async load<Value>(
    store: KeyValueStore,
    kind: Kind,
    initial: Value,
  ): Promise<StoredValue<Value>> {
    const bytes = await store.get(encodeKey('meta', kind));
    return new StoredValue(store, kind, bytes ? readStored<Value>(kind, bytes) : initial);
  }

  /** The durable value. */
  get current(): Value {
    return this.#current;
  }

  /**
   * Changes run one after the other. Resolves when this change is durable.
   * @param change returns the new value, and what the caller needs
   */
  change<Changed extends { readonly value: Value }>(
    change: (before: Value) => Changed,
  ): Promise<Changed> {
    return this.#changes.run(async () => {
      const changed = change(this.#current);
      await this.#store.write([put(encodeKey('meta', this.#kind), jsonBytes(changed.value))]);
      this.#current = changed.value;
      return changed;
    });
  }
}

export const loadNetwork = (store: KeyValueStore): Promise<StoredValue<Network>> =>
  StoredValue.load(store, 'network', NO_NETWORK);
