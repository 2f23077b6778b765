/** Schemas of the search rule routes. */
import Type, { type Static } from 'typebox';
import { limits } from '../../core/limits.ts';
import {
  CustomMetadata,
  closed,
  count,
  DOCUMENT_ID,
  flag,
  INDEX_UID,
  IndexUid,
  integer,
  mapOf,
  optional,
  shortText,
  text,
} from './schema.ts';

const {
  ruleActionsMax: actionsMax,
  ruleTextLengthMax: textMax,
  ruleFilterValuesMax: valuesMax,
} = limits;
/** Beyond the end of every result list. */
export const PIN_POSITION_MAX = 2 ** 32 - 1;
const CONDITIONS = 'invalid_dynamic_search_rule_conditions';
const ACTIONS = 'invalid_dynamic_search_rule_actions';

const conditionText = optional(shortText(CONDITIONS, textMax));

const filterValue = Type.Union(
  [Type.String({ maxLength: textMax }), Type.Number(), Type.Boolean()],
  {
    code: CONDITIONS,
    expects: `a string of at most ${textMax} characters, a number, \`true\` or \`false\``,
  },
);

export const ConditionsBody = closed(
  {
    time: optional(
      closed(
        { start: conditionText, end: conditionText },
        { code: CONDITIONS, expects: 'an object with `start`, `end` or both' },
      ),
    ),
    query: optional(
      closed(
        { isEmpty: optional(flag(CONDITIONS)), words: conditionText },
        { code: CONDITIONS, expects: 'an object with `isEmpty`, `words` or both' },
      ),
    ),
    filter: optional(
      closed(
        {
          values: mapOf(
            Type.Union(
              [filterValue, Type.Array(filterValue, { minItems: 1, maxItems: valuesMax })],
              { code: CONDITIONS, expects: `a value or an array of 1 to ${valuesMax} values` },
            ),
            CONDITIONS,
            'an object of attributes and the values that the filter must ask for',
          ),
        },
        { code: CONDITIONS, expects: 'an object with `values`' },
      ),
    ),
  },
  { code: CONDITIONS, expects: 'an object with `time`, `query` and `filter`' },
);

const selector = closed(
  {
    indexUid: optional(IndexUid, {
      code: ACTIONS,
      expects: `an index uid of ${INDEX_UID.expects}`,
    }),
    id: Type.String({
      pattern: DOCUMENT_ID.pattern,
      code: ACTIONS,
      missing: ACTIONS,
      expects: `the id of a document: a string of ${DOCUMENT_ID.expects}`,
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
    position: Type.Optional(integer(ACTIONS, 0, PIN_POSITION_MAX)),
  },
  { code: ACTIONS, missing: ACTIONS },
);

const action = closed({ selector, action: pinOrHide }, { code: ACTIONS });
/** Of a new rule or an update: absent members stay unchanged, null resets. */
export const SearchRuleBody = closed({
  description: optional(shortText('invalid_dynamic_search_rule_description', textMax)),
  precedence: optional(count('invalid_dynamic_search_rule_priority')),
  active: optional(flag('invalid_dynamic_search_rule_active')),
  conditions: optional(ConditionsBody),
  actions: optional(
    Type.Array(action, {
      maxItems: actionsMax,
      code: ACTIONS,
      expects: `an array of at most ${actionsMax} actions, such as \`{"selector": {"indexUid": "movies", "id": "42"}, "action": {"type": "pin", "position": 0}}\``,
    }),
  ),
});
export type SearchRuleBody = Static<typeof SearchRuleBody>;

export const SearchRuleListBody = closed({
  offset: Type.Optional(count('invalid_dynamic_search_rule_offset')),
  limit: Type.Optional(count('invalid_dynamic_search_rule_limit')),
  filter: optional(
    closed(
      {
        query: optional(text('invalid_dynamic_search_rule_filter_query')),
        active: optional(flag('invalid_dynamic_search_rule_filter_active')),
      },
      {
        code: 'invalid_dynamic_search_rule_filter',
        expects: 'an object with `query` and `active`',
      },
    ),
  ),
});
export type SearchRuleListBody = Static<typeof SearchRuleListBody>;

export const SearchRuleWriteQuery = closed({
  customMetadata: CustomMetadata,
});
export type SearchRuleWriteQuery = Static<typeof SearchRuleWriteQuery>;
