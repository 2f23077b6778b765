/** The aliases of indexes, stored together under ("meta", "aliases"). */

import { compareCodePoints } from '../core/compare-text.ts';
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { type Alias, aliasNotFound } from '../model/alias.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';
import { StoredValue } from './stored-value.ts';

const tooMany = (): ApiError =>
  new ApiError(
    'bad_request',
    `There are ${limits.aliasesMax} aliases, and no more may exist. Delete one first.`,
  );

interface Stored {
  readonly aliases: readonly Alias[];
}

export class AliasStore {
  readonly #stored: StoredValue<Stored>;

  private constructor(stored: StoredValue<Stored>) {
    this.#stored = stored;
  }

  static async load(store: KeyValueStore): Promise<AliasStore> {
    return new AliasStore(await StoredValue.load<Stored>(store, 'aliases', { aliases: [] }));
  }

  /** By ascending name. */
  get all(): readonly Alias[] {
    return this.#stored.current.aliases;
  }

  has(name: string): boolean {
    return this.all.some((alias) => alias.name === name);
  }

  /**
   * Creates the alias or changes its index; resolves when the change is durable.
   * @throws ApiError `bad_request` if there are too many
   */
  async put(name: string, indexUid: string, nowText: string): Promise<Alias> {
    const { alias } = await this.#stored.change(({ aliases }) => {
      const createdAt = aliases.find((other) => other.name === name)?.createdAt ?? nowText;
      const alias: Alias = { name, indexUid, createdAt, updatedAt: nowText };
      const all = [...aliases.filter((other) => other.name !== name), alias];
      if (all.length > Math.max(limits.aliasesMax, aliases.length)) throw tooMany();
      return { alias, value: { aliases: all.sort((a, b) => compareCodePoints(a.name, b.name)) } };
    });
    return alias;
  }

  /** Resolves when the change is durable. @throws ApiError `alias_not_found` */
  async delete(name: string): Promise<void> {
    await this.#stored.change(({ aliases }) => {
      if (!this.has(name)) throw aliasNotFound(name);
      return { value: { aliases: aliases.filter((other) => other.name !== name) } };
    });
  }
}
