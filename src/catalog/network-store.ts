/** The network settings of the instance, stored under ("meta", "network"). */

import { jsonBytes } from '../core/json.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import { changedNetwork, type Network, NO_NETWORK } from '../model/network.ts';
import type { NetworkUpdate } from '../model/schemas/network-schema.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import type { Changed } from '../model/secret-origin.ts';
import { encodeKey } from '../storage/database/key-encoding.ts';
import { type KeyValueStore, put } from '../storage/database/key-value-store.ts';

const NETWORK_KEY = encodeKey('meta', 'network');

export class NetworkStore {
  readonly #store: KeyValueStore;
  readonly #createVersion: () => string;
  #current: Network;
  readonly #changes = new SerialQueue();

  private constructor(store: KeyValueStore, createVersion: () => string, current: Network) {
    this.#store = store;
    this.#createVersion = createVersion;
    this.#current = current;
  }

  /** @param createVersion returns a UUID that sorts after all previous ones */
  static async load(store: KeyValueStore, createVersion: () => string): Promise<NetworkStore> {
    const value = await store.get(NETWORK_KEY);
    const stored = value === null ? NO_NETWORK : readStored<Network>('network', value);
    return new NetworkStore(store, createVersion, stored);
  }

  get current(): Network {
    return this.#current;
  }

  /** Changes are serialised; resolves when this change is durable. Throws `ApiError`. */
  update(change: NetworkUpdate): Promise<Changed<Network>> {
    return this.#changes.run(async () => {
      const changed = changedNetwork(this.#current, change, this.#createVersion());
      const { value } = changed;
      await this.#store.write([put(NETWORK_KEY, jsonBytes(value))]);
      this.#current = value;
      return changed;
    });
  }
}
