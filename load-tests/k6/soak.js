/**
 * k6: hours of an ordinary day. Few people type, documents change now and then, for DURATION (an
 * hour); the last quarter must be as fast as the first.
 */
import exec from 'k6/execution';
import { Trend } from 'k6/metrics';
import { call, expectOk, INDEX, numberOf } from './parts/target.js';
import { oneOf, query, sampleOf } from './parts/texts.js';
import { search } from './parts/typist.js';

const DURATION = __ENV.DURATION || '1h';
const firstQuarter = new Trend('search_first_quarter', true);
const lastQuarter = new Trend('search_last_quarter', true);

const rate = (exec_, perSecond) => ({
  executor: 'constant-arrival-rate',
  exec: exec_,
  rate: perSecond,
  timeUnit: '1s',
  duration: DURATION,
  preAllocatedVUs: 10,
  maxVUs: 200,
});

export const options = {
  scenarios: {
    searching: rate('ask', numberOf('RATE', 20)),
    writing: rate('write', numberOf('WRITES', 1)),
  },
  thresholds: {
    http_req_failed: ['rate<0.001'],
    search_first_quarter: [`p(99)<${numberOf('P99_MS', 150)}`],
    search_last_quarter: [`p(99)<${numberOf('P99_MS', 150)}`],
    dropped_iterations: ['count<1'],
  },
  summaryTrendStats: ['p(50)', 'p(95)', 'p(99)', 'max'],
};

export function setup() {
  const { texts, documents } = sampleOf();
  return { texts, documents };
}

export function ask({ texts }) {
  const { duration } = search({ q: query(texts) }).timings;
  const { progress } = exec.scenario;
  if (progress < 0.25) firstQuarter.add(duration);
  if (progress > 0.75) lastQuarter.add(duration);
}

export function write({ documents }) {
  expectOk(call('PUT', `/indexes/${INDEX}/documents`, [oneOf(documents)], 'write'));
}
