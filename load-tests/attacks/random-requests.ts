/**
 * Many random requests, made of the server's own OpenAPI description, sent to a real server: counts
 * answers by status and fails when one is a 5xx that is not "later".
 * `node dist/load-tests/attacks/random-requests.js [--requests 100000] [--seed 1] [--lanes 16]`
 */
import { parseArgs } from 'node:util';
import { randomOf } from '../bench/random.ts';
import { startServer } from '../bench/server.ts';
import { RequestMaker } from './openapi-requests.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '16' },
  },
});
const FEATURES_PATH = '/experimental-features';
const LATER = 503;
const FAULTS_SHOWN_MAX = 20;

const server = await startServer(['--experimental-rest-embedder-timeout-seconds', '1']);
const statuses = new Map<number, number>();
let faultCount = 0;
try {
  for (const uid of ['films', 'books'])
    await server.settle('POST', `/indexes/${uid}/documents`, [{ id: 1, title: 'Carol' }]);
  const { body: features } = await server.call('GET', FEATURES_PATH);
  for (const name of Object.keys(features as object))
    await server.call('PATCH', FEATURES_PATH, { [name]: true });
  const { body: document } = await server.call('GET', '/openapi.json');
  const maker = new RequestMaker(document, randomOf(Number(values.seed)));
  let left = Number(values.requests);
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const request = maker.next();
      const answer = await fetch(`${server.url}${request.path}`, request);
      const text = await answer.text();
      const { status } = answer;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status < 500 || status === LATER) continue;
      faultCount += 1;
      if (faultCount <= FAULTS_SHOWN_MAX)
        process.stdout.write(`${JSON.stringify({ ...request, status, text }).slice(0, 2000)}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  const { peakBytes } = server.memory();
  process.stdout.write(`peak memory of all processes: ${Math.round(peakBytes / 2 ** 20)} MB\n`);
} finally {
  await server.stop();
}
const rows = [...statuses].sort(([a], [b]) => a - b);
for (const [status, count] of rows) process.stdout.write(`${status}: ${count}\n`);
process.exitCode = faultCount === 0 ? 0 : 1;
