/**
 * k6: search as you type. RATE people begin to type each second, for DURATION; each letter is a
 * search.
 */
import { numberOf } from './parts/target.js';
import { sampleOf } from './parts/texts.js';
import { typeQuery, typingThresholds, typists } from './parts/typist.js';

export const options = {
  scenarios: { typing: typists(numberOf('RATE', 10), __ENV.DURATION || '40s') },
  thresholds: typingThresholds(numberOf('P50_MS', 20), numberOf('P99_MS', 100)),
  summaryTrendStats: ['p(50)', 'p(95)', 'p(99)', 'max'],
};

export const setup = () => ({ texts: sampleOf().texts });

export const type = ({ texts }) => typeQuery(texts);
