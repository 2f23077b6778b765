/** Search rules in the key-value store: ("searchRule", uid) → JSON of `SearchRule`. */

import { ApiError } from '../core/errors.ts';
import { jsonBytes } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { SearchRuleBody } from '../model/schemas/search-rule-schema.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import { changedRule, type SearchRule } from '../model/search-rule.ts';
import { encodeKey, keyRange } from '../storage/database/key-encoding.ts';
import {
  del,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../storage/database/key-value-store.ts';

/** Bytes of all rules together, which every front holds in memory. */
const RULES_BYTES_MAX = 16 * 1024 ** 2;

interface KeptRule {
  readonly rule: SearchRule;
  readonly bytes: number;
}

type KeptRules = ReadonlyMap<string, KeptRule>;

const rowKey = (uid: string): Uint8Array => encodeKey('searchRule', uid);

export class SearchRuleStore {
  readonly #bytesMax: number;
  #rules: KeptRules;

  private constructor(rules: KeptRules, bytesMax: number) {
    this.#rules = rules;
    this.#bytesMax = bytesMax;
  }

  static async load(store: KeyValueStore, bytesMax = RULES_BYTES_MAX): Promise<SearchRuleStore> {
    const rules = new Map<string, KeptRule>();
    for await (const { value } of store.iterate(keyRange('searchRule'))) {
      const rule = readStored<SearchRule>('search rule', value);
      rules.set(rule.uid, { rule, bytes: value.length });
    }
    return new SearchRuleStore(rules, bytesMax);
  }

  *all(): Iterable<SearchRule> {
    for (const { rule } of this.#rules.values()) yield rule;
  }

  /** Only one change may be staged at a time. */
  begin(): SearchRulesChange {
    return new SearchRulesChange(this.#rules, this.#bytesMax, (rules) => {
      this.#rules = rules;
    });
  }
}

interface AppliedRules {
  readonly published: readonly SearchRule[];
  readonly removed: readonly string[];
}

/** A staged change of the rules; its readers see the staged state. */
export class SearchRulesChange {
  readonly #rules: Map<string, KeptRule>;
  readonly #bytesMax: number;
  readonly #adopt: (rules: KeptRules) => void;
  /** null = deleted. */
  readonly #staged = new Map<string, Uint8Array | null>();
  #bytes = 0;
  #activeCount = 0;

  constructor(rules: KeptRules, bytesMax: number, adopt: (rules: KeptRules) => void) {
    this.#rules = new Map(rules);
    this.#bytesMax = bytesMax;
    this.#adopt = adopt;
    for (const kept of rules.values()) this.#count(kept, 1);
  }

  /**
   * Creates the rule if it does not exist.
   * @throws ApiError `invalid_dynamic_search_rule_active` if too many rules would be active,
   * `no_space_left_on_device` if all rules together would be too large
   */
  update(uid: string, update: SearchRuleBody, now: string): void {
    this.put(changedRule(this.#rules.get(uid)?.rule ?? null, uid, update, now));
  }

  /** Creates or replaces a rule. @throws like `update` */
  put(rule: SearchRule): void {
    const { uid } = rule;
    const stored = this.#rules.get(uid);
    const bytes = jsonBytes(rule);
    const kept = { rule, bytes: bytes.length };
    if (stored !== undefined) this.#count(stored, -1);
    this.#count(kept, 1);
    const refusal = this.#refusal(rule);
    if (refusal !== null) {
      this.#count(kept, -1);
      if (stored !== undefined) this.#count(stored, 1);
      throw refusal;
    }
    this.#rules.set(uid, kept);
    this.#staged.set(uid, bytes);
  }

  /** Does nothing if there is no such rule. */
  delete(uid: string): void {
    const stored = this.#rules.get(uid);
    if (stored === undefined) return;
    this.#count(stored, -1);
    this.#rules.delete(uid);
    this.#staged.set(uid, null);
  }

  /** @returns number of deleted rules */
  clear(): number {
    const uids = [...this.#rules.keys()];
    for (const uid of uids) this.delete(uid);
    return uids.length;
  }

  operations(): WriteOperation[] {
    return [...this.#staged].map(([uid, bytes]) =>
      bytes === null ? del(rowKey(uid)) : put(rowKey(uid), bytes),
    );
  }

  /** Must be called after the operations are durable. */
  apply(): AppliedRules {
    this.#adopt(this.#rules);
    const published: SearchRule[] = [];
    const removed: string[] = [];
    for (const uid of this.#staged.keys()) {
      const kept = this.#rules.get(uid);
      if (kept === undefined) removed.push(uid);
      else published.push(kept.rule);
    }
    return { published, removed };
  }

  #count({ rule, bytes }: KeptRule, sign: 1 | -1): void {
    this.#bytes += sign * bytes;
    if (rule.active) this.#activeCount += sign;
  }

  #refusal({ uid, active }: SearchRule): ApiError | null {
    if (active && this.#activeCount > limits.activeRulesMax) {
      return new ApiError(
        'invalid_dynamic_search_rule_active',
        `The search rule \`${uid}\` cannot be active: ${limits.activeRulesMax} rules are, which is the most there may be. Give it \`"active": false\`, or turn off or delete another one.`,
      );
    }
    if (this.#bytes <= this.#bytesMax) return null;
    return new ApiError(
      'no_space_left_on_device',
      'All search rules together take too much room. Delete some of them.',
    );
  }
}
