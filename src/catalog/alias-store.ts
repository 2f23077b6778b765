/** The aliases of indexes, stored together under ("meta", "aliases"). */

import { compareCodePoints } from '../core/compare-text.ts';
import { jsonBytes } from '../core/json.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import type { Alias } from '../model/alias.ts';
import { aliasNotFound } from '../model/alias.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import { encodeKey } from '../storage/database/key-encoding.ts';
import { type KeyValueStore, put } from '../storage/database/key-value-store.ts';

const ALIASES_KEY = encodeKey('meta', 'aliases');

interface Stored {
  readonly aliases: readonly Alias[];
}

export class AliasStore {
  readonly #store: KeyValueStore;
  #all: readonly Alias[];
  readonly #changes = new SerialQueue();

  private constructor(store: KeyValueStore, all: readonly Alias[]) {
    this.#store = store;
    this.#all = all;
  }

  static async load(store: KeyValueStore): Promise<AliasStore> {
    const value = await store.get(ALIASES_KEY);
    return new AliasStore(
      store,
      value === null ? [] : readStored<Stored>('aliases', value).aliases,
    );
  }

  /** By ascending name. */
  get all(): readonly Alias[] {
    return this.#all;
  }

  has(name: string): boolean {
    return this.#all.some((alias) => alias.name === name);
  }

  /** Creates the alias or changes its index; resolves when the change is durable. */
  put(name: string, indexUid: string, nowText: string): Promise<Alias> {
    return this.#changes.run(async () => {
      const before = this.#all.find((alias) => alias.name === name);
      const createdAt = before?.createdAt ?? nowText;
      const alias: Alias = { name, indexUid, createdAt, updatedAt: nowText };
      const others = this.#all.filter((other) => other.name !== name);
      await this.#write([...others, alias].sort((a, b) => compareCodePoints(a.name, b.name)));
      return alias;
    });
  }

  /** Resolves when the change is durable. @throws ApiError `alias_not_found` */
  delete(name: string): Promise<void> {
    return this.#changes.run(async () => {
      if (!this.has(name)) throw aliasNotFound(name);
      await this.#write(this.#all.filter((other) => other.name !== name));
    });
  }

  async #write(aliases: readonly Alias[]): Promise<void> {
    const stored: Stored = { aliases };
    await this.#store.write([put(ALIASES_KEY, jsonBytes(stored))]);
    this.#all = aliases;
  }
}
