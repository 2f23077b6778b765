/** Aliases: second names of indexes, which requests may use instead (docs/aliases.md). */

import { ApiError } from '../core/errors.ts';
import { getOrCompute } from '../core/get-or-compute.ts';

export interface Alias {
  readonly name: string;
  readonly indexUid: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const aliasNotFound = (name: string): ApiError =>
  new ApiError('alias_not_found', `Alias \`${name}\` not found.`);

export class AliasTable {
  readonly list: readonly Alias[];
  readonly #byName: ReadonlyMap<string, Alias>;
  readonly #namesOf = new Map<string, string[]>();

  /** @param list by ascending name */
  constructor(list: readonly Alias[]) {
    this.list = list;
    this.#byName = new Map(list.map((alias) => [alias.name, alias]));
    for (const { name, indexUid } of list)
      getOrCompute(this.#namesOf, indexUid, () => []).push(name);
  }

  get isEmpty(): boolean {
    return this.list.length === 0;
  }

  get(name: string): Alias | null {
    return this.#byName.get(name) ?? null;
  }

  /** The index that an alias stands for; any other name is returned unchanged. */
  resolve(name: string): string {
    return this.#byName.get(name)?.indexUid ?? name;
  }

  namesOf(indexUid: string): readonly string[] {
    return this.#namesOf.get(indexUid) ?? [];
  }
}

export const NO_ALIASES = new AliasTable([]);
