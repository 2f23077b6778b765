/** The server that a load test asks: address, key, index, and waiting for its tasks. */
import { sleep } from 'k6';
import http from 'k6/http';

const URL = __ENV.TARGET || 'http://localhost:7700';
/** The index that is searched; any index with text will do. */
export const INDEX = __ENV.INDEX || 'load';
const KEY = __ENV.SVC_MASTER_KEY || '';
const TASK_POLL_SECONDS = 0.2;

export const numberOf = (name, fallback) => Number(__ENV[name] || fallback);

const headers = {
  'Content-Type': 'application/json',
  ...(KEY !== '' && { Authorization: `Bearer ${KEY}` }),
};

/** @param kind tag by which thresholds tell requests apart */
export function call(method, path, value, kind, type) {
  const body = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  return http.request(method, `${URL}${path}`, body, {
    headers: type === undefined ? headers : { ...headers, 'Content-Type': type },
    // One name for all documents and tasks, lest each become a series of its own.
    tags: { kind, name: kind },
    timeout: '120s',
  });
}

/** For set-up: ends the test when the server refuses. */
export function expectOk(answer) {
  if (answer.status >= 200 && answer.status < 300) return answer.json();
  throw new Error(
    `${answer.request.method} ${answer.request.url}: ${answer.status} ${answer.body}`,
  );
}

export function waitForTask(taskUid) {
  for (;;) {
    const { status, error } = expectOk(call('GET', `/tasks/${taskUid}`, undefined, 'task'));
    if (status === 'succeeded') return;
    if (status !== 'enqueued' && status !== 'processing')
      throw new Error(`task ${taskUid} ${status}: ${JSON.stringify(error)}`);
    sleep(TASK_POLL_SECONDS);
  }
}

export const settled = (answer) => waitForTask(expectOk(answer).taskUid);
