/** Routes of search rules: list, read, create or update, delete one or all. */
import { compareCodePoints } from '../../core/compare-text.ts';
import { ApiError } from '../../core/errors.ts';
import { TimeSlices } from '../../core/time-slices.ts';
import { excludedWordsOf, wordsOfQuery, wordsOfText } from '../../model/query-words.ts';
import {
  SearchRuleBody,
  SearchRuleListBody,
  SearchRuleWriteQuery,
} from '../../model/schemas/search-rule-schema.ts';
import { checkRule, SEARCH_RULES_UID, type SearchRule } from '../../model/search-rule.ts';
import type { ApiContext } from '../contract/context.ts';
import { enqueued } from '../contract/enqueued.ts';
import { offsetPage } from '../contract/offset-page.ts';
import { checkedUid } from '../contract/path-uid.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const FEATURE = 'dynamicSearchRules';

const uidOf = ({ uid }: { readonly uid: string }): string =>
  checkedUid(uid, 'uid of a search rule');

type RuleWrite =
  | { readonly type: 'dsrUpdate'; readonly uid: string; readonly update: SearchRuleBody | null }
  | { readonly type: 'dsrClear' };

const enqueue = (indexer: ApiContext['indexer'], query: SearchRuleWriteQuery, write: RuleWrite) =>
  enqueued(indexer, { ...write, indexUid: SEARCH_RULES_UID, ...query });

type ListFilter = NonNullable<SearchRuleListBody['filter']>;

/**
 * Finds rules whose description and `query.words` have the first word of `query` and no excluded one.
 * The later words may be missing, as in a search with the matching strategy `last`.
 */
function ruleTest({ query, active: wanted }: ListFilter): (rule: SearchRule) => boolean {
  const [first] = wordsOfQuery(query ?? '');
  const excluded = excludedWordsOf(query ?? '');
  const needsWords = first !== undefined || excluded.length > 0;
  return ({ active, description, conditions }) => {
    if (typeof wanted === 'boolean' && wanted !== active) return false;
    if (!needsWords) return true;
    const text = `${description ?? ''} ${conditions.query?.words ?? ''}`;
    const words = new Set(wordsOfText(text, Number.POSITIVE_INFINITY));
    const isFound = first === undefined || words.has(first);
    return isFound && !excluded.some((word) => words.has(word));
  };
}

const lastUpdatedFirst = (a: SearchRule, b: SearchRule): number =>
  compareCodePoints(b.lastUpdatedAt ?? '', a.lastUpdatedAt ?? '') ||
  compareCodePoints(a.uid, b.uid);

export const searchRuleRoutes: readonly Route[] = [
  defineRoute({
    id: 'searchRules.list',
    endpoint: 'POST /dynamic-search-rules',
    action: 'dynamicSearchRules.get',
    summary: 'List search rules, the last updated first',
    body: SearchRuleListBody,
    feature: FEATURE,
    handler: async ({ searchRules, clock }, { body, caller }) => {
      const isWanted = ruleTest(body.filter ?? {});
      const slices = new TimeSlices(clock.monotonic, caller);
      const found: SearchRule[] = [];
      for (const rule of searchRules.list()) {
        await slices.between();
        if (isWanted(rule)) found.push(rule);
      }
      return offsetPage(found.sort(lastUpdatedFirst), body, (rule) => rule);
    },
  }),
  defineRoute({
    id: 'searchRules.get',
    endpoint: 'GET /dynamic-search-rules/:uid',
    action: 'dynamicSearchRules.get',
    summary: 'Read one search rule',
    feature: FEATURE,
    errors: ['invalid_index_uid', 'dynamic_search_rule_not_found'],
    handler: ({ searchRules }, { params }) => {
      const uid = uidOf(params);
      const rule = searchRules.get(uid);
      if (rule !== undefined) return { status: 200, json: rule };
      throw new ApiError('dynamic_search_rule_not_found', `There is no search rule \`${uid}\`.`);
    },
  }),
  defineRoute({
    id: 'searchRules.update',
    endpoint: 'PATCH /dynamic-search-rules/:uid',
    action: 'dynamicSearchRules.update',
    summary: 'Create or update a search rule',
    query: SearchRuleWriteQuery,
    body: SearchRuleBody,
    feature: FEATURE,
    handler: async ({ indexer }, { params, query, body }) => {
      const uid = uidOf(params);
      checkRule(body);
      return enqueue(indexer, query, { type: 'dsrUpdate', uid, update: body });
    },
  }),
  defineRoute({
    id: 'searchRules.delete',
    endpoint: 'DELETE /dynamic-search-rules/:uid',
    action: 'dynamicSearchRules.delete',
    summary: 'Delete one search rule',
    query: SearchRuleWriteQuery,
    feature: FEATURE,
    errors: ['invalid_index_uid'],
    handler: async ({ indexer }, { params, query }) =>
      enqueue(indexer, query, { type: 'dsrUpdate', uid: uidOf(params), update: null }),
  }),
  defineRoute({
    id: 'searchRules.clear',
    endpoint: 'DELETE /dynamic-search-rules',
    action: 'dynamicSearchRules.delete',
    summary: 'Delete all search rules',
    query: SearchRuleWriteQuery,
    feature: FEATURE,
    handler: ({ indexer }, { query }) => enqueue(indexer, query, { type: 'dsrClear' }),
  }),
];
