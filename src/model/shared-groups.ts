/**
 * Groups over several instances (relevance.md 5.9): what one instance sends of its documents, and the
 * numbers of groups over all of them. Plain data, shared by query threads and fronts.
 */

/** null = the document has no value. */
export type GroupValue = null | number | string | readonly (number | string)[];

/** A group whose hit comes before the hits that are asked for, maybe of another instance. */
export interface PrecedingGroup {
  /** The values of its hit, as `FederatedHit.distinctValues`. */
  readonly values: readonly string[];
  /** Number of its best documents to return; 0 = neither documents nor their count. */
  readonly size: number;
}

/** Values of the documents that one index of one instance has found. */
export interface GroupFacts {
  /**
   * Combinations of values that documents have: all documents of one are in one group. null = more
   * than `limits.sharedGroupsMax`.
   */
  readonly combinations: readonly (readonly string[])[] | null;
  /** Documents without a value, each a group of its own. */
  readonly loneCount: number;
  /** By facet and displayed value; null = more than `limits.sharedFacetGroupsMax`, or no facets. */
  readonly facets: ReadonlyMap<string, ReadonlyMap<string, ValueGroups>> | null;
}

/** Documents with a facet value, by their combination. */
export interface ValueGroups {
  /** Numbers of combinations, from 0. */
  readonly combinations: readonly number[];
  readonly loneCount: number;
}

/** As `GroupFacts`, with facets as `{path: [[value, combinations, loneCount]]}`. */
export function groupFactsJson({ combinations, loneCount, facets }: GroupFacts): string {
  const byPath = [...(facets ?? [])].map(([path, values]) => [
    path,
    Array.from(values, ([text, own]) => [text, own.combinations, own.loneCount]),
  ]);
  return JSON.stringify({
    combinations,
    loneCount,
    facets: facets && Object.fromEntries(byPath),
  });
}

/** Numbers the groups of combinations, from 0, in the order in which their first ones come. */
export class GroupNumbers {
  readonly #owners = new Map<string, number>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The first group whose hit shares a value, else a new one. @param values at least one */
  of(values: readonly string[]): number {
    let first = this.#count;
    for (const value of values) first = Math.min(first, this.#owners.get(value) ?? first);
    if (first < this.#count) return first;
    for (const value of values) this.#owners.set(value, first);
    this.#count += 1;
    return first;
  }
}

/** Finds the groups of one value after the other that no earlier document of the value is in. */
export class NewGroups {
  /** By group: the last value that it was found for. */
  readonly #lastValues: Uint32Array;
  #value = 0;

  constructor(groupMax: number) {
    this.#lastValues = new Uint32Array(groupMax + 1);
  }

  begin(): void {
    this.#value += 1;
  }

  isNew(group: number): boolean {
    if (this.#lastValues[group] === this.#value) return false;
    this.#lastValues[group] = this.#value;
    return true;
  }
}
