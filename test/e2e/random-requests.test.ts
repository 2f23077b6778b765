/** Requests made at random of the server's own OpenAPI description: none makes it fail. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RequestMaker } from '../../load-tests/attacks/parts/openapi-requests.ts';
import { randomOf } from '../../load-tests/bench/random.ts';
import { type ErrorCode, errorCodes } from '../../src/core/error-codes.ts';
import { objectOf } from '../../src/core/json.ts';
import { FEATURES } from '../../src/model/features.ts';
import { amount } from '../support/run-length.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

const REQUESTS = amount(300, 1500);
/** Answers of a busy or starting server, and of a chat request of an unsupported kind. */
const PASSING = [503, 501];

/** MCP has errors of JSON-RPC. */
const isExplainedByRpc = (json: unknown): boolean => {
  const { jsonrpc, error } = objectOf(json);
  return jsonrpc === '2.0' && String(objectOf(error)['message'] ?? '') !== '';
};

/** An answer that says what is wrong does so by a code of the table. */
const isExplained = (status: number, json: unknown): boolean => {
  const { code, type, message, link } = (json ?? {}) as Record<string, string>;
  const facts = errorCodes[code as ErrorCode];
  return (
    facts !== undefined &&
    facts.type === type &&
    // A missing index inside a body is a bad request.
    (facts.status === status || (code === 'index_not_found' && status === 400)) &&
    link?.endsWith(`#${code}`) === true &&
    (message?.length ?? 0) > 0
  );
};

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    flags: ['--experimental-rest-embedder-timeout-seconds', '1'],
  });
  for (const uid of ['films', 'books']) {
    const index = server.client.index(uid);
    await index.addDocuments([{ id: 1, title: 'Carol', _geo: { lat: 1, lng: 2 } }]).waitTask();
  }
});
afterAll(async () => {
  await server.stop();
  await cleanUp();
});

test(`${REQUESTS} of them`, async () => {
  for (const name of FEATURES)
    await server.call('PATCH', '/experimental-features', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ [name]: true }),
    });
  const { json: document } = await server.call('GET', '/openapi.json');
  const maker = new RequestMaker(document, randomOf(14));
  expect(maker.operationCount).toBeGreaterThan(100);
  const statuses = new Map<number, number>();
  const faults: unknown[] = [];
  const lane = async () => {
    for (let i = 0; i < REQUESTS / 4; i++) {
      const request = maker.next();
      const { status, text, json } = await server.call(request.method, request.path, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isFault = status >= 500 && !PASSING.includes(status);
      const isMcp = request.path.startsWith('/mcp') && isExplainedByRpc(json);
      const isUnclear = status >= 400 && text !== '' && !isMcp && !isExplained(status, json);
      if (isFault || isUnclear) faults.push({ request, status, text });
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  expect(faults).toEqual([]);
  expect((statuses.get(200) ?? 0) + (statuses.get(202) ?? 0)).toBeGreaterThan(REQUESTS / 20);
  expect((await server.call('GET', '/health')).status).toBe(200);
  const { results } = await server.client.tasks.getTasks({ limit: 1000, statuses: ['failed'] });
  expect(results.filter(({ error }) => error?.type === 'internal')).toEqual([]);
});
