/**
 * k6: bulk import. UPLOADS payloads of DOCUMENTS documents each into an index of their own, made of
 * the documents of INDEX under new ids; counts how fast they become searchable.
 */
import exec from 'k6/execution';
import { Counter, Trend } from 'k6/metrics';
import { call, expectOk, INDEX, numberOf, settled, waitForTask } from './parts/target.js';
import { sampleOf } from './parts/texts.js';

const COPY = `${INDEX}-import`;
const UPLOADS = numberOf('UPLOADS', 10);
const DOCUMENTS = numberOf('DOCUMENTS', 10000);
const documentsPerSecond = new Trend('documents_per_second');
const imported = new Counter('documents_imported');

export const options = {
  scenarios: {
    uploads: {
      executor: 'shared-iterations',
      vus: 2,
      iterations: UPLOADS,
      maxDuration: '30m',
    },
  },
  setupTimeout: '5m',
  teardownTimeout: '30m',
  thresholds: {
    'http_req_failed{kind:upload}': ['rate==0'],
    documents_per_second: [`min>${numberOf('LEAST_PER_SECOND', 500)}`],
  },
  summaryTrendStats: ['p(50)', 'p(95)', 'p(99)', 'max', 'min'],
};

export function setup() {
  const { documents, primaryKey } = sampleOf();
  call('DELETE', `/indexes/${COPY}`, undefined, 'delete');
  settled(call('POST', '/indexes', { uid: COPY, primaryKey }, 'create'));
  return { documents, primaryKey, startMs: Date.now() };
}

export default function upload({ documents, primaryKey }) {
  const first = exec.scenario.iterationInTest * DOCUMENTS;
  const lines = Array.from({ length: DOCUMENTS }, (_, i) =>
    JSON.stringify({ ...documents[i % documents.length], [primaryKey]: first + i }),
  );
  const path = `/indexes/${COPY}/documents`;
  const answer = call('POST', path, lines.join('\n'), 'upload', 'application/x-ndjson');
  expectOk(answer);
  imported.add(DOCUMENTS);
}

export function teardown({ startMs }) {
  const { results } = expectOk(call('GET', `/tasks?indexUids=${COPY}&limit=1`, undefined, 'task'));
  waitForTask(results[0].uid);
  documentsPerSecond.add((UPLOADS * DOCUMENTS) / ((Date.now() - startMs) / 1000));
  settled(call('DELETE', `/indexes/${COPY}`, undefined, 'delete'));
}
