/** Requests about search rules that are refused. */
import { get, patch, post, type RouteErrorCase, remove } from './refused-request.ts';

const RULES = '/dynamic-search-rules';
const CONDITIONS = 'invalid_dynamic_search_rule_conditions';
const ACTIONS = 'invalid_dynamic_search_rule_actions';

const pin = (selector: unknown, action: unknown = { type: 'pin', position: 0 }) => ({
  actions: [{ selector, action }],
});

const on = (cases: readonly RouteErrorCase[]): RouteErrorCase[] =>
  cases.map((refused) => ({ ...refused, features: { dynamicSearchRules: true } }));

export const searchRuleErrors: readonly RouteErrorCase[] = [
  post('searchRules.list', RULES, {}, 'feature_not_enabled'),
  get('searchRules.get', `${RULES}/a`, 'feature_not_enabled'),
  patch('searchRules.update', `${RULES}/a`, {}, 'feature_not_enabled'),
  remove('searchRules.delete', `${RULES}/a`, 'feature_not_enabled'),
  remove('searchRules.clear', RULES, 'feature_not_enabled'),
  ...on([
    post('searchRules.list', RULES, { offset: -1 }, 'invalid_dynamic_search_rule_offset'),
    post('searchRules.list', RULES, { limit: 'a' }, 'invalid_dynamic_search_rule_limit'),
    post('searchRules.list', RULES, { filter: 1 }, 'invalid_dynamic_search_rule_filter'),
    post('searchRules.list', RULES, { filter: { a: 1 } }, 'invalid_dynamic_search_rule_filter'),
    post(
      'searchRules.list',
      RULES,
      { filter: { query: 1 } },
      'invalid_dynamic_search_rule_filter_query',
    ),
    post(
      'searchRules.list',
      RULES,
      { filter: { active: 1 } },
      'invalid_dynamic_search_rule_filter_active',
    ),
    post('searchRules.list', RULES, { foo: 1 }, 'bad_request'),
    get('searchRules.get', `${RULES}/a.b`, 'invalid_index_uid'),
    get('searchRules.get', `${RULES}/absent`, 'dynamic_search_rule_not_found'),
    patch('searchRules.update', `${RULES}/a.b`, {}, 'invalid_index_uid'),
    ...(
      [
        [{ description: 1 }, 'invalid_dynamic_search_rule_description'],
        [{ description: 'a'.repeat(2001) }, 'invalid_dynamic_search_rule_description'],
        [{ precedence: -1 }, 'invalid_dynamic_search_rule_priority'],
        [{ active: 'yes' }, 'invalid_dynamic_search_rule_active'],
        [{ conditions: [] }, CONDITIONS],
        [{ conditions: { place: {} } }, CONDITIONS],
        [{ conditions: { time: { start: 'tomorrow' } } }, CONDITIONS],
        [{ conditions: { time: { end: '2030-02-30T00:00:00Z' } } }, CONDITIONS],
        [{ conditions: { time: { start: '2030-01-01' } } }, CONDITIONS],
        [
          {
            conditions: { time: { start: '2030-01-02T00:00:00Z', end: '2030-01-01T00:00:00Z' } },
          },
          CONDITIONS,
        ],
        [{ conditions: { query: { isEmpty: true, words: 'a' } } }, CONDITIONS],
        [{ conditions: { query: { words: ' ?' } } }, CONDITIONS],
        [{ conditions: { query: { word: 'a' } } }, CONDITIONS],
        [{ conditions: { filter: {} } }, CONDITIONS],
        [{ conditions: { filter: { values: { a: null } } } }, CONDITIONS],
        [{ conditions: { filter: { values: { a: [] } } } }, CONDITIONS],
        [
          {
            conditions: { filter: { values: { a: Array(60).fill('a'), b: Array(60).fill('a') } } },
          },
          CONDITIONS,
        ],
        [{ actions: {} }, ACTIONS],
        [{ actions: [{}] }, ACTIONS],
        [{ actions: [{ selector: { id: 'a' } }] }, ACTIONS],
        [pin({}), ACTIONS],
        [pin({ id: 'a b' }), ACTIONS],
        [pin({ id: 'a', indexUid: 'a.b' }), ACTIONS],
        [pin({ id: 'a' }, { type: 'hide', position: 0 }), ACTIONS],
        [pin({ id: 'a' }, { type: 'pin' }), ACTIONS],
        [pin({ id: 'a' }, { type: 'pin', position: -1 }), ACTIONS],
        [pin({ id: 'a' }, { type: 'pin', position: 2 ** 40 }), ACTIONS],
        [{ actions: Array(101).fill(pin({ id: 'a' }).actions[0]) }, ACTIONS],
        [{ uid: 'a' }, 'bad_request'],
      ] as const
    ).map(([body, code]) => patch('searchRules.update', `${RULES}/a`, body, code)),
    remove('searchRules.delete', `${RULES}/a.b`, 'invalid_index_uid'),
  ]),
];
