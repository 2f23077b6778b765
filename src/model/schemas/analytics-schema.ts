/** Schemas of search analytics. Events are accepted in two forms, that of Algolia in lists. */
import Type, { type Static } from 'typebox';
import { EVENT_TYPES, QUERY_KINDS } from '../analytics.ts';
import { anything, closed, count, flag, IndexUid, oneOf, text } from './schema.ts';

const CODE = 'invalid_event';
const TEXT_LENGTH_MAX = 256;
const OBJECTS_MAX = 20;
const EVENTS_MAX = 1000;

const short = Type.String({
  minLength: 1,
  maxLength: TEXT_LENGTH_MAX,
  code: CODE,
  expects: `a string of 1 to ${TEXT_LENGTH_MAX} characters`,
});
const eventType = oneOf(EVENT_TYPES as unknown as [...typeof EVENT_TYPES], CODE);
const place = (minimum: number) =>
  Type.Integer({
    minimum,
    maximum: 2 ** 31,
    code: CODE,
    expects: `an integer of at least ${minimum}`,
  });
const list = <T extends Type.TSchema>(item: T, expects: string) =>
  Type.Array(item, { maxItems: OBJECTS_MAX, code: CODE, expects });

const ListedEvent = closed(
  {
    eventType,
    eventName: short,
    index: Type.String({ ...IndexUid, missing: 'missing_index_uid' }),
    userToken: Type.Optional(short),
    queryID: Type.Optional(short),
    objectIDs: Type.Optional(list(short, `at most ${OBJECTS_MAX} document ids`)),
    positions: Type.Optional(list(place(1), `at most ${OBJECTS_MAX} places, from 1`)),
    timestamp: Type.Optional(
      Type.Integer({ minimum: 0, code: CODE, expects: 'milliseconds since the epoch' }),
    ),
    /** Accepted and not kept. */
    eventSubtype: Type.Optional(anything()),
    authenticatedUserToken: Type.Optional(anything()),
    filters: Type.Optional(anything()),
    objectData: Type.Optional(anything()),
    value: Type.Optional(anything()),
    currency: Type.Optional(anything()),
  },
  { code: CODE },
);
export type ListedEvent = Static<typeof ListedEvent>;

export const EventsBody = closed(
  {
    eventType: Type.Optional(eventType),
    eventName: Type.Optional(short),
    indexUid: Type.Optional(IndexUid),
    userId: Type.Optional(short),
    queryUid: Type.Optional(short),
    objectId: Type.Optional(
      Type.Union([short, Type.Integer()], { code: CODE, expects: 'a document id' }),
    ),
    objectName: Type.Optional(anything()),
    position: Type.Optional(place(0)),
    events: Type.Optional(
      Type.Array(ListedEvent, {
        minItems: 1,
        maxItems: EVENTS_MAX,
        code: CODE,
        expects: `an array of 1 to ${EVENTS_MAX} events`,
      }),
    ),
  },
  { code: CODE },
);
export type EventsBody = Static<typeof EventsBody>;

const PARAMETER = 'invalid_analytics_parameter';
const day = Type.Optional(text(PARAMETER, 'a day such as `2026-11-26`'));

const rangeMembers = {
  indexUid: Type.Optional(IndexUid),
  filter: Type.Optional(text(PARAMETER, 'a filter')),
  from: day,
  to: day,
  limit: Type.Optional(count(PARAMETER)),
  offset: Type.Optional(count(PARAMETER)),
};
export const AnalyticsRange = closed(rangeMembers, { code: PARAMETER });
export type AnalyticsRange = Static<typeof AnalyticsRange>;

export const QueriesQuery = closed(
  {
    kind: Type.Optional(oneOf(QUERY_KINDS as unknown as [...typeof QUERY_KINDS], PARAMETER)),
    byFilter: Type.Optional(flag(PARAMETER)),
    ...rangeMembers,
  },
  { code: PARAMETER },
);

export const CountsQuery = closed(
  { by: Type.Optional(oneOf(['day', 'index', 'filter'], PARAMETER)), ...rangeMembers },
  { code: PARAMETER },
);
