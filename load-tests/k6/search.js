/** k6 scenario: fills an index with generated films when it is missing, then types queries letter by letter from several clients. */
import { check, sleep } from 'k6';
import http from 'k6/http';

const TARGET = __ENV.TARGET || 'http://localhost:7700';
const INDEX = 'k6-films';
const WORDS =
  'night river stone garden winter love storm silver house last city dream road king island shadow fire star'.split(
    ' ',
  );
const headers = { 'Content-Type': 'application/json' };
if (__ENV.SVC_MASTER_KEY) headers.Authorization = `Bearer ${__ENV.SVC_MASTER_KEY}`;

export const options = {
  scenarios: {
    typing: {
      executor: 'ramping-vus',
      startVUs: 1,
      stages: [
        { duration: '10s', target: 16 },
        { duration: '40s', target: 16 },
      ],
    },
  },
  thresholds: {
    http_req_failed: ['rate<0.001'],
    'http_req_duration{kind:search}': ['p(50)<20', 'p(99)<100'],
  },
};

const wordAt = (number) => WORDS[number % WORDS.length];
const film = (id) => ({
  id,
  title: `${wordAt(id)} ${wordAt(id * 7 + 3)}`,
  overview: `${wordAt(id * 11)} of the ${wordAt(id * 13 + 5)}`,
});

function waitFor(taskUid) {
  for (;;) {
    const { status } = http.get(`${TARGET}/tasks/${taskUid}`, { headers }).json();
    if (status === 'succeeded') return;
    if (status === 'failed' || status === 'canceled') throw new Error(`task ${taskUid} ${status}`);
    sleep(0.1);
  }
}

export function setup() {
  if (http.get(`${TARGET}/indexes/${INDEX}`, { headers }).status === 200) return;
  const films = Array.from({ length: 20000 }, (_, id) => film(id));
  const answer = http.post(
    `${TARGET}/indexes/${INDEX}/documents?primaryKey=id`,
    JSON.stringify(films),
    { headers },
  );
  check(answer, { 'documents accepted': ({ status }) => status === 202 });
  waitFor(answer.json('taskUid'));
}

export default function type() {
  const query = `${wordAt(__ITER)} ${wordAt(__VU + __ITER * 3)}`;
  for (let length = 1; length <= query.length; length += 1) {
    const body = JSON.stringify({ q: query.slice(0, length) });
    const answer = http.post(`${TARGET}/indexes/${INDEX}/search`, body, {
      headers,
      tags: { kind: 'search' },
    });
    check(answer, { 'search answered': ({ status }) => status === 200 });
    sleep(0.05);
  }
}
