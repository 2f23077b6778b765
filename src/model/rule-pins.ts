/**
 * Pure: evaluates search rules: which documents are pinned at which positions, and which are hidden.
 * Rules are prepared once (`prepareRules`), so that a search without rules costs nothing.
 */
import { instantMs } from '../core/calendar-day.ts';
import { limits } from '../core/limits.ts';
import type { FilterNode } from './filter/filter-node.ts';
import { numberOfText } from './filter/number-of-text.ts';
import { isBlank, wordsOfQuery, wordsOfText } from './query-words.ts';
import type { FilterValue, SearchRule } from './search-rule.ts';

/** Sorts after every precedence of a rule. */
const NO_PRECEDENCE = 2 ** 65;

export interface Pin {
  readonly id: string;
  /** Position in the entire result list, from 0. */
  readonly position: number;
  /** Precedence of the rule; the lower one wins a position. */
  readonly precedence: number;
}

/** The parts of a search that conditions of rules use. */
export interface RuledSearch {
  readonly q: string | null;
  /** Called only if a rule has a condition on the filter. */
  readonly filter: () => FilterNode | null;
  readonly nowMs: number;
}

export interface RuleEffects {
  /** In order of precedence; null = none. */
  readonly pins: readonly Pin[] | null;
  /** Ids of documents that the search must not find; null = none. */
  readonly hidden: readonly string[] | null;
}

export const NO_EFFECTS: RuleEffects = { pins: null, hidden: null };

/** Position null = hidden. */
interface PreparedAction {
  readonly id: string;
  readonly position: number | null;
  readonly indexUid: string | null;
}

interface PreparedRule {
  readonly startMs: number;
  readonly endMs: number;
  readonly isEmpty: boolean | null;
  /** Words that must all be in the query. */
  readonly words: readonly string[];
  /** Attribute and value pairs that the filter must all require. */
  readonly values: readonly (readonly [string, string])[];
  readonly precedence: number;
  readonly actions: readonly PreparedAction[];
}

/** Active rules in order of precedence. */
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
    precedence: precedenceOf(rule),
    actions: rule.actions.map(({ selector: { indexUid = null, id }, action }) => ({
      id,
      position: action.type === 'pin' ? action.position : null,
      indexUid,
    })),
  };
}

/** The rules that can affect searches of an index. @param names that rules may have for it */
export const rulesOfIndex = (rules: PreparedRules, names: readonly string[]): PreparedRules =>
  rules.flatMap((rule) => {
    const actions = rule.actions.filter(
      ({ indexUid }) => indexUid === null || names.includes(indexUid),
    );
    return actions.length === 0 ? [] : [{ ...rule, actions }];
  });

/**
 * The first rule that names a document decides about it. At most `ruleActionsMax` documents; later
 * rules have no further effect. @param rules of the searched index
 */
export function effectsOf(rules: PreparedRules, search: RuledSearch): RuleEffects {
  const facts = new SearchFacts(search);
  const named = new Set<string>();
  const pins: Pin[] = [];
  const hidden: string[] = [];
  for (const rule of rules) {
    if (!facts.meet(rule)) continue;
    for (const { id, position } of rule.actions) {
      if (named.has(id) || named.size === limits.ruleActionsMax) continue;
      named.add(id);
      if (position === null) hidden.push(id);
      else pins.push({ id, position, precedence: rule.precedence });
    }
  }
  return { pins: pins.length > 0 ? pins : null, hidden: hidden.length > 0 ? hidden : null };
}

/** Facts of a search for conditions, computed once. */
class SearchFacts {
  readonly #search: RuledSearch;
  readonly #isBlank: boolean;
  #words: ReadonlySet<string> | null = null;
  #values: ReadonlySet<string> | null = null;

  constructor(search: RuledSearch) {
    this.#search = search;
    this.#isBlank = isBlank(search.q);
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

/** Normalises a value as filters compare it: numbers by value, text without case. */
function comparable(value: string): string {
  const number = numberOfText(value);
  return number === null ? value.trim().toLowerCase() : String(number);
}

type AttributeValue = readonly [attribute: string, value: string];

/**
 * Values that a filter requires: values of `=` and `IN` at the top level or joined by AND, and
 * alternatives by OR of one attribute. Exclusions and other alternatives require nothing.
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
