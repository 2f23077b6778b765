/**
 * k6: shopping. Searches with a filter, facets and a sort order by the attributes that INDEX allows
 * it for; RATE requests a second.
 */
import { numberOf } from './parts/target.js';
import { oneOf, query, sampleOf } from './parts/texts.js';
import { search } from './parts/typist.js';

export const options = {
  scenarios: {
    shopping: {
      executor: 'constant-arrival-rate',
      rate: numberOf('RATE', 50),
      timeUnit: '1s',
      duration: __ENV.DURATION || '40s',
      preAllocatedVUs: 30,
      maxVUs: 500,
    },
  },
  thresholds: {
    'http_req_failed{kind:facets}': ['rate<0.001'],
    'http_req_duration{kind:facets}': [
      `p(50)<${numberOf('P50_MS', 30)}`,
      `p(99)<${numberOf('P99_MS', 200)}`,
    ],
    dropped_iterations: ['count<1'],
  },
  summaryTrendStats: ['p(50)', 'p(95)', 'p(99)', 'max'],
};

const namesOf = (attributes) =>
  attributes.filter(
    (name) => typeof name === 'string' && !name.startsWith('_') && !/\*/.test(name),
  );

export function setup() {
  const { documents, settings, texts } = sampleOf();
  const filterable = namesOf(settings.filterableAttributes);
  const filters = documents.flatMap((document) =>
    filterable.flatMap((name) => {
      const value = Array.isArray(document[name]) ? document[name][0] : document[name];
      if (typeof value === 'number') return [`${name} >= ${value}`];
      return typeof value === 'string' ? [`${name} = ${JSON.stringify(value)}`] : [];
    }),
  );
  if (filters.length === 0) throw new Error('the index has no filterable attributes with values');
  return { texts, filters, facets: filterable, sortable: namesOf(settings.sortableAttributes) };
}

export default function shop({ texts, filters, facets, sortable }) {
  const isBrowsing = Math.random() < 0.3;
  search(
    {
      q: isBrowsing ? '' : query(texts),
      filter: oneOf(filters),
      facets,
      ...(sortable.length > 0 && Math.random() < 0.3 && { sort: [`${oneOf(sortable)}:desc`] }),
    },
    'facets',
  );
}
