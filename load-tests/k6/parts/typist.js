/** One person who types a query letter by letter and looks at what comes. */
import { check, sleep } from 'k6';
import { call, INDEX } from './target.js';
import { query } from './texts.js';

/** Between two letters; fast typists take a tenth of a second. */
const LETTER_SECONDS = [0.08, 0.25];
/** A letter further on, a search box asks once more. */
const between = ([least, most]) => least + Math.random() * (most - least);

export function search(body, kind = 'search', index = INDEX) {
  const answer = call('POST', `/indexes/${index}/search`, body, kind);
  check(answer, { 'search is answered': ({ status }) => status === 200 });
  return answer;
}

export function typeQuery(texts) {
  const text = query(texts);
  for (let length = 1; length <= text.length; length += 1) {
    if (text[length - 1] === ' ') continue;
    search({ q: text.slice(0, length) });
    sleep(between(LETTER_SECONDS));
  }
}

/**
 * Typists come whether the server keeps up or not (open model), more and more and then steadily.
 * @param perSecond people who begin to type each second; about ten requests each
 */
export const typists = (perSecond, duration) => ({
  executor: 'ramping-arrival-rate',
  exec: 'type',
  startRate: Math.max(1, Math.floor(perSecond / 4)),
  timeUnit: '1s',
  preAllocatedVUs: Math.ceil(perSecond * 6),
  maxVUs: Math.ceil(perSecond * 20),
  stages: [
    { duration: '10s', target: perSecond },
    { duration, target: perSecond },
  ],
});

/** An iteration without a free virtual user was not served. */
export const typingThresholds = (p50Ms, p99Ms) => ({
  'http_req_failed{kind:search}': ['rate<0.001'],
  'http_req_duration{kind:search}': [`p(50)<${p50Ms}`, `p(99)<${p99Ms}`],
  dropped_iterations: ['count<1'],
});
