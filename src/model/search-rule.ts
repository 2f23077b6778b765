/**
 * Search rules: documents that stand at a place of their own in the answers of searches, under
 * conditions. Their shape, what an update makes of one, and what no rule may say.
 */
import { instantMs } from '../core/calendar-day.ts';
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { wordsOfText } from './query-words.ts';

/**
 * The uid under which tasks and dumps name the rules; no index can have it, so it stands in no list
 * of indexes.
 */
export const SEARCH_RULES_UID = '.meili_dsr';

/** Behind the end of every list of results. */
export const PIN_POSITION_MAX = 2 ** 32 - 1;

export type FilterValue = string | number | boolean;

export interface RuleConditions {
  /** Instants of RFC 3339, both included. */
  readonly time?: { readonly start?: string; readonly end?: string };
  readonly query?: { readonly isEmpty?: boolean; readonly words?: string };
  /** Values that the filter of the search must ask for, by attribute. */
  readonly filter?: {
    readonly values: Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
  };
}

export interface RuleAction {
  /** Without an index: in every index that has a document of this id. */
  readonly selector: { readonly indexUid?: string; readonly id: string };
  readonly action: { readonly type: 'pin'; readonly position: number };
}

export interface SearchRule {
  readonly uid: string;
  readonly description?: string;
  /** RFC 3339, UTC; null where a dump does not say. */
  readonly lastUpdatedAt: string | null;
  /** The lower one wins; a rule without one comes last. */
  readonly precedence?: number;
  readonly active: boolean;
  readonly conditions: RuleConditions;
  readonly actions: readonly RuleAction[];
}

type Given<T> = { readonly [Name in keyof T]?: T[Name] | null };

/** Conditions as requests write them: null says no more than an absent member. */
export interface GivenConditions {
  readonly time?: Given<NonNullable<RuleConditions['time']>> | null;
  readonly query?: Given<NonNullable<RuleConditions['query']>> | null;
  readonly filter?: RuleConditions['filter'] | null;
}

export interface GivenAction {
  readonly selector: { readonly indexUid?: string | null; readonly id: string };
  readonly action: RuleAction['action'];
}

/** An absent member stays as it is, null resets it. */
export interface SearchRuleUpdate {
  readonly description?: string | null;
  readonly precedence?: number | null;
  readonly active?: boolean | null;
  readonly conditions?: GivenConditions | null;
  readonly actions?: readonly GivenAction[] | null;
}

/** @param stored null for a rule that is yet to be */
export function changedRule(
  stored: SearchRule | null,
  uid: string,
  update: SearchRuleUpdate,
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

const conditionsOf = ({ time, query, filter }: GivenConditions): RuleConditions => ({
  ...(time && { time: withoutNulls(time) }),
  ...(query && { query: withoutNulls(query) }),
  ...(filter && { filter }),
});

const withoutNulls = <T extends object>(members: Given<T>): T =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as T;

const actionOf = ({ selector: { indexUid, id }, action }: GivenAction): RuleAction => ({
  selector: { ...(typeof indexUid === 'string' && { indexUid }), id },
  action: { type: action.type, position: action.position },
});

/**
 * Looks at what the shape of a request cannot say.
 * @throws ApiError `invalid_dynamic_search_rule_conditions`
 */
export function checkConditions({ time, query, filter }: GivenConditions): void {
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
      '`conditions.query.isEmpty` is `true` while `conditions.query.words` asks for words: no query has both. Give one of them.',
    );
  }
  if (wordsOfText(words).length > 0) return;
  throw refusedConditions(
    `\`conditions.query.words\` is ${JSON.stringify(words.slice(0, 80))}, expected at least one word.`,
  );
}

const refusedConditions = (message: string): ApiError =>
  new ApiError('invalid_dynamic_search_rule_conditions', message);
