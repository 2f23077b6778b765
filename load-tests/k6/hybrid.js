/**
 * k6: hybrid search. Copies sampled documents into an index of their own with vectors made of their
 * words, and searches it by words and vector at once; RATE requests a second.
 */
import { call, INDEX, numberOf, settled } from './parts/target.js';
import { oneOf, query, sampleOf } from './parts/texts.js';
import { search } from './parts/typist.js';

const COPY = `${INDEX}-hybrid`;
const DIMENSIONS = numberOf('DIMENSIONS', 128);
const COPIES = numberOf('COPIES', 5);

export const options = {
  scenarios: {
    hybrid: {
      executor: 'constant-arrival-rate',
      rate: numberOf('RATE', 50),
      timeUnit: '1s',
      duration: __ENV.DURATION || '40s',
      preAllocatedVUs: 30,
      maxVUs: 500,
    },
  },
  setupTimeout: '5m',
  thresholds: {
    'http_req_failed{kind:hybrid}': ['rate<0.001'],
    'http_req_duration{kind:hybrid}': [
      `p(50)<${numberOf('P50_MS', 30)}`,
      `p(99)<${numberOf('P99_MS', 200)}`,
    ],
    dropped_iterations: ['count<1'],
  },
  summaryTrendStats: ['p(50)', 'p(95)', 'p(99)', 'max'],
};

/** Texts with words in common are near each other. */
function vectorOf(text) {
  const vector = new Array(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().split(/\W+/)) {
    let hash = 2166136261;
    for (let i = 0; i < word.length; i += 1)
      hash = Math.imul(hash ^ word.charCodeAt(i), 16777619) >>> 0;
    for (let i = 0; i < 4; i += 1) {
      vector[(hash >>> (i * 8)) % DIMENSIONS] += (hash >>> i) & 1 ? 1 : -1;
    }
  }
  return vector;
}

export function setup() {
  const { documents, primaryKey, texts } = sampleOf();
  call('DELETE', `/indexes/${COPY}`, undefined, 'delete');
  settled(call('POST', '/indexes', { uid: COPY, primaryKey }, 'create'));
  const embedders = { words: { source: 'userProvided', dimensions: DIMENSIONS } };
  settled(call('PATCH', `/indexes/${COPY}/settings`, { embedders }, 'settings'));
  for (let copy = 0; copy < COPIES; copy += 1) {
    const withVectors = documents.map((document, i) => ({
      ...document,
      [primaryKey]: copy * documents.length + i,
      _vectors: { words: vectorOf(`${JSON.stringify(Object.values(document))} ${copy}`) },
    }));
    settled(call('POST', `/indexes/${COPY}/documents`, withVectors, 'upload'));
  }
  return { texts };
}

export default function ask({ texts }) {
  const q = query(texts);
  const hybrid = { embedder: 'words', semanticRatio: oneOf([0.3, 0.5, 0.8]) };
  search({ q, vector: vectorOf(q), hybrid }, 'hybrid', COPY);
}

export function teardown() {
  settled(call('DELETE', `/indexes/${COPY}`, undefined, 'delete'));
}
