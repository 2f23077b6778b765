/** Schemas of the search rule routes. */
import Type, { type Static } from 'typebox';
import { limits } from '../../core/limits.ts';
import { CustomMetadata, closed, count, IndexUid, mapOf, optional } from './schema.ts';

const {
  ruleActionsMax: actionsMax,
  ruleTextLengthMax: textMax,
  ruleFilterValuesMax: valuesMax,
} = limits;
/** Beyond the end of every result list. */
export const PIN_POSITION_MAX = 2 ** 32 - 1;
const CONDITIONS = 'invalid_dynamic_search_rule_conditions';
const ACTIONS = 'invalid_dynamic_search_rule_actions';
const TEXT_EXPECTED = `a string of at most ${textMax} characters`;
const BOOLEAN_EXPECTED = '`true` or `false`';

const limitedText = Type.String({ maxLength: textMax });
const conditionText = optional(limitedText, CONDITIONS, TEXT_EXPECTED);

const filterValue = Type.Union([limitedText, Type.Number(), Type.Boolean()], {
  code: CONDITIONS,
  expects: `${TEXT_EXPECTED}, a number, \`true\` or \`false\``,
});
const VALUES_EXPECTED = `a value or an array of 1 to ${valuesMax} values`;
const VALUES_BY_ATTRIBUTE = 'an object of attributes and the values that the filter must ask for';

export const ConditionsBody = closed(
  {
    time: optional(
      closed({ start: conditionText, end: conditionText }),
      CONDITIONS,
      'an object with `start`, `end` or both',
    ),
    query: optional(
      closed({
        isEmpty: optional(Type.Boolean(), CONDITIONS, BOOLEAN_EXPECTED),
        words: conditionText,
      }),
      CONDITIONS,
      'an object with `isEmpty`, `words` or both',
    ),
    filter: optional(
      closed({
        values: mapOf(
          Type.Union([filterValue, Type.Array(filterValue, { minItems: 1, maxItems: valuesMax })], {
            code: CONDITIONS,
            expects: VALUES_EXPECTED,
          }),
          CONDITIONS,
          VALUES_BY_ATTRIBUTE,
        ),
      }),
      CONDITIONS,
      'an object with `values`',
    ),
  },
  { code: CONDITIONS },
);

const selector = closed(
  {
    indexUid: optional(
      IndexUid,
      ACTIONS,
      `an index uid of 1 to ${limits.indexUidBytesMax} characters out of \`A-Z a-z 0-9 _ -\``,
    ),
    id: Type.String({
      pattern: `^[A-Za-z0-9_-]{1,${limits.documentIdBytesMax}}$`,
      code: ACTIONS,
      missing: ACTIONS,
      expects: `the id of a document: a string of 1 to ${limits.documentIdBytesMax} characters out of \`A-Z a-z 0-9 _ -\``,
    }),
  },
  { code: ACTIONS, missing: ACTIONS },
);

const pinOrHide = closed(
  {
    type: Type.Enum(['pin', 'hide'], {
      code: ACTIONS,
      missing: ACTIONS,
      expects: '`pin` or `hide`',
    }),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: PIN_POSITION_MAX,
        code: ACTIONS,
        expects: `an integer from 0 to ${PIN_POSITION_MAX}`,
      }),
    ),
  },
  { code: ACTIONS, missing: ACTIONS },
);

const action = closed({ selector, action: pinOrHide }, { code: ACTIONS });
const ACTIONS_EXPECTED = `an array of at most ${actionsMax} actions, such as \`{"selector": {"indexUid": "movies", "id": "42"}, "action": {"type": "pin", "position": 0}}\``;

export const SearchRuleBody = closed({
  description: optional(limitedText, 'invalid_dynamic_search_rule_description', TEXT_EXPECTED),
  precedence: optional(
    count('invalid_dynamic_search_rule_priority'),
    'invalid_dynamic_search_rule_priority',
    'a non-negative integer',
  ),
  active: optional(Type.Boolean(), 'invalid_dynamic_search_rule_active', BOOLEAN_EXPECTED),
  conditions: optional(ConditionsBody, CONDITIONS, 'an object with `time`, `query` and `filter`'),
  actions: optional(Type.Array(action, { maxItems: actionsMax }), ACTIONS, ACTIONS_EXPECTED),
});
export type SearchRuleBody = Static<typeof SearchRuleBody>;

export const SearchRuleListBody = closed({
  offset: Type.Optional(count('invalid_dynamic_search_rule_offset')),
  limit: Type.Optional(count('invalid_dynamic_search_rule_limit')),
  filter: optional(
    closed({
      query: optional(Type.String(), 'invalid_dynamic_search_rule_filter_query', 'a string'),
      active: optional(
        Type.Boolean(),
        'invalid_dynamic_search_rule_filter_active',
        BOOLEAN_EXPECTED,
      ),
    }),
    'invalid_dynamic_search_rule_filter',
    'an object with `query` and `active`',
  ),
});
export type SearchRuleListBody = Static<typeof SearchRuleListBody>;

export const SearchRuleWriteQuery = closed({
  customMetadata: CustomMetadata,
});
export type SearchRuleWriteQuery = Static<typeof SearchRuleWriteQuery>;
