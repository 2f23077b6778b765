/** The warm-up with the files of the build, the real pipeline and threads. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { QueryPool } from '../../src/ipc/queries/query-pool.ts';
import type { QueryReply } from '../../src/ipc/queries/query-protocol.ts';
import { QueryMetrics } from '../../src/observability/query-metrics.ts';
import { WARM_UP_REQUESTS, type WarmUpRequest } from '../../src/runtime/built-indexes.ts';
import { replayRequests } from '../../workers/front-warm-up.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
const folder = pathToFileURL(`${DIST}/warm-up/`);

let pool: QueryPool | null = null;
afterEach(() => pool?.close(1000));

class RecordingPool extends QueryPool {
  readonly replies: QueryReply[] = [];
  override async run(...task: Parameters<QueryPool['run']>): Promise<QueryReply> {
    const reply = await super.run(...task);
    this.replies.push(reply);
    return reply;
  }
}

function createPool(): RecordingPool {
  const created = new RecordingPool({
    entry: pathToFileURL(`${DIST}/threads/query.js`).href,
    slowSearchMs: 0,
    answerBytesMax: 1 << 20,
    cache: { ownBytes: 8 << 20, shared: new SharedArrayBuffer(8 << 20), threads: 2 },
    threads: 1,
    metrics: new QueryMetrics(1),
    queueSize: 100,
    perThread: 4,
    dropAfterMs: 60_000,
    onBug: (error) => {
      throw error;
    },
  });
  pool = created;
  return created;
}

interface Answer {
  readonly hits?: [];
  readonly facetHits?: [];
  readonly semanticHitCount?: number;
}

const answerOf = (reply: QueryReply): Answer => {
  if (!reply.ok) throw new Error(reply.error.message);
  return JSON.parse(new TextDecoder().decode(reply.body)) as Answer;
};

const hitCount = (reply: QueryReply): number => {
  const { hits, facetHits } = answerOf(reply);
  return (hits ?? facetHits)?.length ?? 0;
};

it('searches the library in every form, finds something nearly always, and leaves nothing open', async () => {
  const requests = JSON.parse(
    readFileSync(new URL(WARM_UP_REQUESTS, folder), 'utf8'),
  ) as WarmUpRequest[];
  const context = createFakeApiContext({ masterKey: 'a key that these requests do not have' });
  const created = createPool();
  const signal = new AbortController().signal;
  const searches = await replayRequests({ context, pool: created, threads: 1, folder }, signal);
  expect(context.failures).toEqual([]);
  expect(searches).toBeGreaterThanOrEqual(requests.length);
  expect(searches).toBe(created.replies.length - 1);
  const found = created.replies.slice(0, searches).filter((reply) => hitCount(reply) > 0).length;
  expect(found / searches).toBeGreaterThan(0.9);
  const byMeaning = created.replies
    .slice(0, searches)
    .filter((reply) => (answerOf(reply).semanticHitCount ?? 0) > 0).length;
  expect(byMeaning / searches).toBeGreaterThan(0.1);
  const closed = created.replies.at(-1);
  expect(closed?.ok && closed.body.length).toBe(0);
});

it('does nothing where there is no build', async () => {
  const context = createFakeApiContext();
  const created = createPool();
  const nowhere = new URL('nowhere/', folder);
  const options = { context, pool: created, threads: 1, folder: nowhere };
  expect(await replayRequests(options, new AbortController().signal)).toBe(0);
  expect(created.replies).toEqual([]);
});
