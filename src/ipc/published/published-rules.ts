/** The search rules, as the indexer last told them: all of them, and those of an index made ready. */
import { Replay } from '../../core/replay.ts';
import { type PreparedRules, prepareRules, rulesOfIndex } from '../../model/rule-pins.ts';
import type { SearchRule } from '../../model/search-rule.ts';

export class PublishedRules {
  readonly #rules = new Map<string, SearchRule>();
  readonly #replay = new Replay();
  /** All of them; null = they have changed since. */
  #prepared: PreparedRules | null = null;
  readonly #ofIndexes = new Map<string, PreparedRules>();

  get(uid: string): SearchRule | undefined {
    return this.#rules.get(uid);
  }

  list(): SearchRule[] {
    return [...this.#rules.values()];
  }

  /** Rules that may act on searches of the index; null = there are none. */
  preparedFor(indexUid: string): PreparedRules | null {
    if (this.#rules.size === 0) return null;
    let rules = this.#ofIndexes.get(indexUid);
    if (rules === undefined) {
      this.#prepared ??= prepareRules(this.#rules.values());
      rules = rulesOfIndex(this.#prepared, indexUid);
      this.#ofIndexes.set(indexUid, rules);
    }
    return rules.length === 0 ? null : rules;
  }

  /** All that exist are published until `endReplay`; what is not named by then is gone. */
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

  #forget(): void {
    this.#prepared = null;
    this.#ofIndexes.clear();
  }
}
