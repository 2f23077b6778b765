/**
 * Search rules: documents that are pinned in search results or hidden from them under conditions.
 * Their type, updates and checks.
 */
import type { Static } from 'typebox';
import { instantMs } from '../core/calendar-day.ts';
import { ApiError } from '../core/errors.ts';
import { givenMembers } from '../core/is-given.ts';
import { limits } from '../core/limits.ts';
import { wordsOfText } from './query-words.ts';
import type { ConditionsBody, SearchRuleBody } from './schemas/search-rule-schema.ts';

/**
 * The uid of rules in tasks and dumps; not a valid index uid, so it never appears in index lists.
 */
export const SEARCH_RULES_UID = '.meili_dsr';

export type FilterValue = string | number | boolean;

interface RuleConditions {
  /** RFC 3339 dates, inclusive. */
  readonly time?: { readonly start?: string; readonly end?: string };
  readonly query?: { readonly isEmpty?: boolean; readonly words?: string };
  /** Values that the filter of the search must require, by attribute. */
  readonly filter?: {
    readonly values: Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
  };
}

export interface RuleAction {
  /** Without an index uid: applies to every index that has a document with this id. */
  readonly selector: { readonly indexUid?: string; readonly id: string };
  /** `hide` is an addition to the convention. */
  readonly action: { readonly type: 'pin'; readonly position: number } | { readonly type: 'hide' };
}

export interface SearchRule {
  readonly uid: string;
  readonly description?: string;
  /** RFC 3339, UTC; null if a dump does not contain it. */
  readonly lastUpdatedAt: string | null;
  /** The lower one wins; a rule without a precedence comes last. */
  readonly precedence?: number;
  readonly active: boolean;
  readonly conditions: RuleConditions;
  readonly actions: readonly RuleAction[];
}

/** Conditions and actions as given in requests: null counts as absent. */
type GivenConditions = Static<typeof ConditionsBody>;
type GivenAction = NonNullable<SearchRuleBody['actions']>[number];

/** @param stored null for a new rule */
export function changedRule(
  stored: SearchRule | null,
  uid: string,
  update: SearchRuleBody,
  now: string,
): SearchRule {
  const description = changed(stored?.description, update.description);
  const precedence = changed(stored?.precedence, update.precedence);
  return {
    uid,
    ...(description !== undefined && { description }),
    lastUpdatedAt: now,
    ...(precedence !== undefined && { precedence }),
    active: changed(stored?.active, update.active) ?? true,
    conditions: conditionsOf(changed(stored?.conditions, update.conditions) ?? {}),
    actions: (changed(stored?.actions, update.actions) ?? []).map(actionOf),
  };
}

const changed = <Stored, New>(
  stored: Stored | undefined,
  given: New | null | undefined,
): Stored | New | undefined => (given === undefined ? stored : (given ?? undefined));

const conditionsOf = ({
  time,
  query,
  filter,
}: GivenConditions | RuleConditions): RuleConditions => ({
  ...(time && { time: givenMembers(time) }),
  ...(query && { query: givenMembers(query) }),
  ...(filter && { filter }),
});

const actionOf = ({ selector: { indexUid, id }, action }: GivenAction): RuleAction => ({
  selector: { ...(typeof indexUid === 'string' && { indexUid }), id },
  action:
    action.type === 'hide' ? { type: 'hide' } : { type: 'pin', position: action.position ?? 0 },
});

/**
 * Checks that the request's schema cannot express. @throws ApiError
 * `invalid_dynamic_search_rule_conditions`, `invalid_dynamic_search_rule_actions`
 */
export function checkRule({ conditions, actions }: SearchRuleBody): void {
  checkConditions(conditions ?? {});
  (actions ?? []).forEach(({ action: { type, position } }, place) => {
    const path = `actions[${place}].action.position`;
    if (type === 'pin' && position === undefined)
      throw refusedActions(`\`${path}\` is missing: \`pin\` needs a position, from 0.`);
    if (type === 'hide' && position !== undefined)
      throw refusedActions(`\`${path}\` is given, but a hidden document has no position.`);
  });
}

function checkConditions({ time, query, filter }: GivenConditions): void {
  checkTime(time ?? {});
  checkQuery(query ?? {});
  const count = Object.values(filter?.values ?? {}).flat().length;
  if (count <= limits.ruleFilterValuesMax) return;
  throw refusedConditions(
    `\`conditions.filter.values\` has ${count} values, expected at most ${limits.ruleFilterValuesMax}.`,
  );
}

function checkTime(time: NonNullable<GivenConditions['time']>): void {
  const [start, end] = (['start', 'end'] as const).map((name) => {
    const text = time[name] ?? null;
    const ms = text === null ? null : instantMs(text);
    if (!Number.isNaN(ms)) return ms ?? null;
    throw refusedConditions(
      `\`conditions.time.${name}\` is ${JSON.stringify(text?.slice(0, 80))}, expected a date and time of RFC 3339 such as \`2030-01-31T12:00:00Z\`.`,
    );
  });
  if (typeof start === 'number' && typeof end === 'number' && start > end) {
    throw refusedConditions(
      `\`conditions.time.start\` (${time.start}) is later than \`conditions.time.end\` (${time.end}), so the rule would never act. Exchange them, or leave one out.`,
    );
  }
}

function checkQuery({ isEmpty, words = null }: NonNullable<GivenConditions['query']>): void {
  if (words === null) return;
  if (isEmpty === true) {
    throw refusedConditions(
      '`conditions.query.isEmpty` is `true` while `conditions.query.words` requires words: no query satisfies both. Give one of them.',
    );
  }
  if (wordsOfText(words).length > 0) return;
  throw refusedConditions(
    `\`conditions.query.words\` is ${JSON.stringify(words.slice(0, 80))}, expected at least one word.`,
  );
}

const refusedActions = (message: string): ApiError =>
  new ApiError('invalid_dynamic_search_rule_actions', message);

const refusedConditions = (message: string): ApiError =>
  new ApiError('invalid_dynamic_search_rule_conditions', message);
