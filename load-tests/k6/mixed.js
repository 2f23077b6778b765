/**
 * k6: people type while documents change. RATE people a second, WRITES updates a second of five
 * documents each, which are sent again as they are.
 */
import { check } from 'k6';
import { call, INDEX, numberOf } from './parts/target.js';
import { oneOf, sampleOf } from './parts/texts.js';
import { typeQuery, typingThresholds, typists } from './parts/typist.js';

const DURATION = __ENV.DURATION || '40s';
const DOCUMENTS = 5;

export const options = {
  scenarios: {
    typing: typists(numberOf('RATE', 8), DURATION),
    writing: {
      executor: 'constant-arrival-rate',
      exec: 'write',
      rate: numberOf('WRITES', 2),
      timeUnit: '1s',
      duration: DURATION,
      preAllocatedVUs: 4,
      maxVUs: 50,
    },
  },
  thresholds: {
    ...typingThresholds(numberOf('P50_MS', 25), numberOf('P99_MS', 200)),
    'http_req_failed{kind:write}': ['rate<0.001'],
    'http_req_duration{kind:write}': ['p(99)<500'],
  },
  summaryTrendStats: ['p(50)', 'p(95)', 'p(99)', 'max'],
};

export function setup() {
  const { texts, documents } = sampleOf();
  return { texts, documents };
}

export const type = ({ texts }) => typeQuery(texts);

export function write({ documents }) {
  const changed = Array.from({ length: DOCUMENTS }, () => oneOf(documents));
  const answer = call('PUT', `/indexes/${INDEX}/documents`, changed, 'write');
  check(answer, { 'write is accepted': ({ status }) => status === 202 });
}
