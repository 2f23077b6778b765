/**
 * Search rules evaluated: which documents a search is to show at which place. Pure; the rules are
 * made ready once (`prepareRules`), so that a search without any costs a look.
 */
import { instantMs } from '../core/calendar-day.ts';
import { limits } from '../core/limits.ts';
import type { FilterNode } from './filter/filter-node.ts';
import { numberOfText } from './filter/number-text.ts';
import { wordsOfQuery, wordsOfText } from './query-words.ts';
import type { FilterValue, SearchRule } from './search-rule.ts';

/** Behind every precedence that a rule can have. */
const NO_PRECEDENCE = 2 ** 65;

/** A document at its place. */
export interface Pin {
  /** Of the document. */
  readonly id: string;
  /** In the whole list of results, from 0. */
  readonly position: number;
  /** Of its rule: the lower one has the place that both ask for. */
  readonly precedence: number;
}

/** What of a search decides about rules. */
export interface RuledSearch {
  readonly q: string | null;
  /** Asked for only where a rule has a condition on it. */
  readonly filter: () => FilterNode | null;
  readonly nowMs: number;
}

interface PreparedRule {
  readonly startMs: number;
  readonly endMs: number;
  readonly isEmpty: boolean | null;
  /** All of them must be in the query. */
  readonly words: readonly string[];
  /** Attribute and value, all of which the filter must ask for. */
  readonly values: readonly (readonly [string, string])[];
  readonly pins: readonly (Pin & { readonly indexUid: string | null })[];
}

/** Active rules in the order in which they win. */
export type PreparedRules = readonly PreparedRule[];

export function prepareRules(rules: Iterable<SearchRule>): PreparedRules {
  return [...rules]
    .filter(({ active, actions }) => active && actions.length > 0)
    .sort((a, b) => precedenceOf(a) - precedenceOf(b) || (a.uid < b.uid ? -1 : 1))
    .map(preparedRule);
}

const precedenceOf = ({ precedence = NO_PRECEDENCE }: SearchRule): number => precedence;

function preparedRule(rule: SearchRule): PreparedRule {
  const { time, query, filter } = rule.conditions;
  return {
    startMs: time?.start === undefined ? Number.NEGATIVE_INFINITY : instantMs(time.start),
    endMs: time?.end === undefined ? Number.POSITIVE_INFINITY : instantMs(time.end),
    isEmpty: query?.isEmpty ?? null,
    words: query?.words === undefined ? [] : wordsOfText(query.words),
    values: Object.entries(filter?.values ?? {}).flatMap(([attribute, given]) =>
      [given].flat().map((value: FilterValue) => [attribute, comparable(String(value))] as const),
    ),
    pins: rule.actions.map(({ selector: { indexUid = null, id }, action: { position } }) => ({
      id,
      position,
      precedence: precedenceOf(rule),
      indexUid,
    })),
  };
}

/** The part that can act on searches of an index. */
export const rulesOfIndex = (rules: PreparedRules, indexUid: string): PreparedRules =>
  rules.flatMap((rule) => {
    const pins = rule.pins.filter((pin) => pin.indexUid === null || pin.indexUid === indexUid);
    return pins.length === 0 ? [] : [{ ...rule, pins }];
  });

/**
 * The pins of a search, those that win first, each document once; null for none. No more than
 * `ruleActionsMax`: those of later rules have no effect then.
 * @param rules of the index that is searched
 */
export function pinsOf(rules: PreparedRules, search: RuledSearch): readonly Pin[] | null {
  const facts = new SearchFacts(search);
  const pins = new Map<string, Pin>();
  for (const rule of rules) {
    if (!facts.meet(rule)) continue;
    for (const { id, position, precedence } of rule.pins) {
      if (!pins.has(id)) pins.set(id, { id, position, precedence });
      if (pins.size === limits.ruleActionsMax) return [...pins.values()];
    }
  }
  return pins.size === 0 ? null : [...pins.values()];
}

/** What rules ask of a search, found out once. */
class SearchFacts {
  readonly #search: RuledSearch;
  readonly #isBlank: boolean;
  #words: ReadonlySet<string> | null = null;
  #values: ReadonlySet<string> | null = null;

  constructor(search: RuledSearch) {
    this.#search = search;
    this.#isBlank = (search.q ?? '').trim() === '';
  }

  meet({ startMs, endMs, isEmpty, words, values }: PreparedRule): boolean {
    const { nowMs } = this.#search;
    if (nowMs < startMs || nowMs > endMs) return false;
    if (isEmpty !== null && isEmpty !== this.#isBlank) return false;
    if (words.length > 0 && !this.#hasWords(words)) return false;
    return values.length === 0 || this.#hasValues(values);
  }

  #hasWords(words: readonly string[]): boolean {
    if (this.#isBlank) return false;
    this.#words ??= new Set(wordsOfQuery(this.#search.q ?? ''));
    const known = this.#words;
    return words.every((word) => known.has(word));
  }

  #hasValues(values: PreparedRule['values']): boolean {
    this.#values ??= new Set(
      requiredValues(this.#search.filter()).map(([attribute, value]) =>
        nameOf(attribute, comparable(value)),
      ),
    );
    const known = this.#values;
    return values.every(([attribute, value]) => known.has(nameOf(attribute, value)));
  }
}

const nameOf = (attribute: string, value: string): string => `${attribute}\n${value}`;

/** As filters compare values: numbers by what they count, text whatever its case. */
function comparable(value: string): string {
  const number = numberOfText(value);
  return number === null ? value.trim().toLowerCase() : String(number);
}

type AttributeValue = readonly [attribute: string, value: string];

/**
 * Values that a filter asks for: those of `=` and `IN` that stand in it by themselves or joined by
 * AND, and alternatives by OR where all are about one attribute. What is excluded, or one way of
 * several, asks for nothing.
 */
function requiredValues(node: FilterNode | null): readonly AttributeValue[] {
  switch (node?.kind) {
    case 'and':
      return node.children.flatMap(requiredValues);
    case 'or': {
      const parts = node.children.map((child) =>
        child.kind === 'and' ? [] : requiredValues(child),
      );
      const attributes = new Set(parts.flat().map(([attribute]) => attribute));
      return attributes.size === 1 && parts.every((part) => part.length > 0) ? parts.flat() : [];
    }
    case 'values':
      if (node.operator === '!=') return [];
      return node.values.map((value) => [node.attribute, value] as const);
    default:
      return [];
  }
}
