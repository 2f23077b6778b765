/**
 * The search rules last received from the indexer: all rules, and the rules of each index prepared
 * for search.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { Replay } from '../../core/replay.ts';
import { type PreparedRules, prepareRules, rulesOfIndex } from '../../model/rule-pins.ts';
import type { SearchRule } from '../../model/search-rule.ts';

export class PublishedRules {
  readonly #rules = new Map<string, SearchRule>();
  readonly #replay = new Replay();
  /** All rules; null = they have changed since. */
  #prepared: PreparedRules | null = null;
  /** By the names of an index, joined. */
  readonly #ofIndexes = new Map<string, PreparedRules>();

  get(uid: string): SearchRule | undefined {
    return this.#rules.get(uid);
  }

  list(): SearchRule[] {
    return [...this.#rules.values()];
  }

  /**
   * Rules that may apply to searches of an index; null = there are none. @param names that rules may
   * have for it
   */
  preparedFor(names: readonly string[]): PreparedRules | null {
    if (this.#rules.size === 0) return null;
    const key = names.join(' ');
    const rules = getOrCompute(this.#ofIndexes, key, () => {
      this.#prepared ??= prepareRules(this.#rules.values());
      return rulesOfIndex(this.#prepared, names);
    });
    return rules.length === 0 ? null : rules;
  }

  /** All existing rules are published until `endReplay`, which removes the rest. */
  beginReplay(): void {
    this.#replay.begin();
  }

  endReplay(): void {
    this.remove(this.#replay.end(this.#rules.keys()));
  }

  publish(rule: SearchRule): void {
    this.#replay.name(rule.uid);
    this.#rules.set(rule.uid, rule);
    this.#forget();
  }

  remove(uids: readonly string[]): void {
    for (const uid of uids) this.#rules.delete(uid);
    this.#forget();
  }

  /** Frees the rules of names that no index has any more. */
  namesChanged(): void {
    this.#ofIndexes.clear();
  }

  #forget(): void {
    this.#prepared = null;
    this.#ofIndexes.clear();
  }
}
