/** The aggregations of a search body, checked beyond their schema. */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import {
  type Aggregation,
  type AggregationMeasure,
  CALENDAR_INTERVALS,
  type NumberRange,
} from '../../model/aggregations.ts';
import { filterForm, unparsedFilter } from '../../model/filter/filter-form.ts';
import type { FilterFeatures } from '../../model/filter/filter-node.ts';
import type { AggregationBody, AggregationsBody } from '../../model/schemas/aggregation-schema.ts';

const PERCENTS_DEFAULT = [1, 5, 25, 50, 75, 95, 99];
const TERMS_DEFAULT = 10;

/** Members of each type, in addition to those of all types. */
const OWN_MEMBERS: Readonly<Record<AggregationBody['type'], readonly string[]>> = {
  min: [],
  max: [],
  sum: [],
  mean: [],
  cardinality: [],
  percentiles: ['percents'],
  terms: ['size', 'aggregations'],
  range: ['ranges', 'aggregations'],
  dateHistogram: ['interval', 'timeZone', 'aggregations'],
};
const SHARED_MEMBERS = ['type', 'attribute', 'filter'];

/** Names that an error message shows. */
const SHOWN_LENGTH_MAX = 100;

const refused = (place: string, message: string): ApiError =>
  new ApiError('invalid_search_aggregations', `\`${place}\` ${message}`);

/** @throws ApiError `invalid_search_aggregations`, `invalid_search_filter` */
export function parseAggregations(
  body: AggregationsBody,
  features: FilterFeatures,
): readonly Aggregation[] {
  const found = parseLevel(body, 'aggregations', features);
  const count = found.reduce((sum, { inner }) => sum + 1 + inner.length, 0);
  if (count <= limits.aggregationsMax) return found;
  throw refused(
    'aggregations',
    `has ${count} aggregations on both levels; a request takes at most ${limits.aggregationsMax}.`,
  );
}

const parseLevel = (
  body: Readonly<Record<string, AggregationBody>>,
  path: string,
  features: FilterFeatures,
): Aggregation[] =>
  Object.entries(body).map(([name, aggregation]) =>
    parseOne(name, aggregation, `${path}.${name.slice(0, SHOWN_LENGTH_MAX)}`, features),
  );

function parseOne(
  name: string,
  body: AggregationBody,
  place: string,
  features: FilterFeatures,
): Aggregation {
  const { type, attribute, filter } = body;
  const allowed = [...SHARED_MEMBERS, ...OWN_MEMBERS[type]];
  const wrong = Object.keys(body).find((member) => !allowed.includes(member));
  if (wrong !== undefined) {
    const members = allowed.map((member) => `\`${member}\``).join(', ');
    throw refused(
      `${place}.${wrong}`,
      `is not allowed for the type \`${type}\`, which takes ${members}.`,
    );
  }
  return {
    name,
    place,
    attribute,
    measure: measureOf(body, place),
    filter: unparsedFilter(filterForm(filter, 'invalid_search_filter'), features),
    inner: parseLevel(body.aggregations ?? {}, `${place}.aggregations`, features),
  };
}

function measureOf(body: AggregationBody, place: string): AggregationMeasure {
  const { type } = body;
  switch (type) {
    case 'percentiles':
      return { type, percents: body.percents ?? PERCENTS_DEFAULT };
    case 'terms':
      return { type, size: body.size ?? TERMS_DEFAULT };
    case 'range':
      return { type, ranges: rangesOf(body, place) };
    case 'dateHistogram': {
      const { interval, timeZone = 'UTC' } = body;
      if (interval === undefined) {
        const names = CALENDAR_INTERVALS.map((each) => `\`${each}\``).join(', ');
        throw refused(`${place}.interval`, `is missing, expected one of ${names}.`);
      }
      if (!isTimeZone(timeZone)) {
        const shown = JSON.stringify(timeZone.slice(0, SHOWN_LENGTH_MAX));
        throw refused(
          `${place}.timeZone`,
          `is ${shown}, expected an IANA time zone such as \`Europe/Berlin\`.`,
        );
      }
      return { type, interval, timeZone };
    }
    default:
      return { type };
  }
}

function rangesOf({ ranges }: AggregationBody, place: string): NumberRange[] {
  if (ranges === undefined) {
    throw refused(
      `${place}.ranges`,
      'is missing, expected an array of objects with `from`, `to` or both.',
    );
  }
  return ranges.map(({ key, from = null, to = null }, i) => {
    if (from !== null && to !== null && from >= to) {
      throw refused(
        `${place}.ranges[${i}]`,
        `begins at ${from} and ends at ${to}; \`from\` must be less than \`to\`.`,
      );
    }
    return { key: key ?? `${from ?? '*'}-${to ?? '*'}`, from, to };
  });
}

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
