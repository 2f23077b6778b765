/** Schema of the aggregations of a search. Members that a type does not take are refused later. */
import Type, { type Static } from 'typebox';
import { limits } from '../../core/limits.ts';
import { AGGREGATION_TYPES, CALENDAR_INTERVALS } from '../aggregations.ts';
import { anything, closed, integer, mapOf, oneOf, text } from './schema.ts';

const CODE = 'invalid_search_aggregations';
const bound = Type.Optional(Type.Number({ code: CODE, expects: 'a number' }));
const { percentsMax, rangesMax, termsMax } = limits.aggregation;

const Range = closed(
  { from: bound, to: bound, key: Type.Optional(text(CODE)) },
  { code: CODE, expects: 'an object with `from`, `to` or both, and an optional `key`' },
);

const members = {
  type: oneOf(AGGREGATION_TYPES, CODE),
  attribute: text(CODE, 'the name of a filterable attribute'),
  filter: Type.Optional(anything({ code: 'invalid_search_filter' })),
  interval: Type.Optional(oneOf(CALENDAR_INTERVALS, CODE)),
  timeZone: Type.Optional(text(CODE, 'an IANA time zone')),
  ranges: Type.Optional(
    Type.Array(Range, {
      minItems: 1,
      maxItems: rangesMax,
      code: CODE,
      expects: `an array of 1 to ${rangesMax} ranges`,
    }),
  ),
  percents: Type.Optional(
    Type.Array(
      Type.Number({ minimum: 0, maximum: 100, code: CODE, expects: 'a number from 0 to 100' }),
      {
        minItems: 1,
        maxItems: percentsMax,
        code: CODE,
        expects: `an array of 1 to ${percentsMax} numbers`,
      },
    ),
  ),
  size: Type.Optional(integer(CODE, 1, termsMax)),
};

const EXPECTED = 'an object of names with an aggregation each';
const Inner = closed(members, { code: CODE });
const Outer = closed(
  { ...members, aggregations: Type.Optional(mapOf(Inner, CODE, EXPECTED)) },
  { code: CODE },
);

export const Aggregations = mapOf(Outer, CODE, EXPECTED);
export type AggregationsBody = Static<typeof Aggregations>;
export type AggregationBody = Static<typeof Outer>;
