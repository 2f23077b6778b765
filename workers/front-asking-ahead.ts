/**
 * Part of a front: asks its large indexes what people who begin to type ask first, in every thread
 * that searches, before anybody does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiContext } from '../src/api/contract/context.ts';
import { DIGEST_LIMITS } from '../src/engine/segment/range-digests-writer.ts';
import type { PublishedIndex } from '../src/ipc/published/published-indexes.ts';
import type { QueryPool } from '../src/ipc/queries/query-pool.ts';
import type { AskedAheadReply, QueryReply } from '../src/ipc/queries/query-protocol.ts';
import { liveDocumentCount } from '../src/model/index-manifest.ts';
import { madeTask } from './made-task.ts';

/** The largest ones; what is kept of more would not have room. */
const INDEXES_MAX = 8;
/** For searches in a row in a thread; whoever comes meanwhile waits so long, and for one search more. */
const SLICE_MS = 20;
/** When all is done in the threads that have answered, the others may not have started yet. */
const THREAD_WAIT_MS = 5;
const THREAD_WAITS_MAX = 200;

export interface AskingAhead {
  readonly context: Pick<ApiContext, 'indexes' | 'checked'>;
  readonly pool: Pick<QueryPool, 'run'>;
  /** Of the pool. */
  readonly threads: number;
}

const isLarge = ({ manifest: { segments } }: PublishedIndex): boolean =>
  segments.some(({ documentCount }) => documentCount >= DIGEST_LIMITS.documentsMin);

/** Those that may be read now, the largest first. */
function largeIndexes({ indexes, checked }: AskingAhead['context']): string[] {
  return indexes
    .list()
    .filter((index) => isLarge(index) && checked.isReadable(index.manifest.id))
    .sort((a, b) => liveDocumentCount(b.manifest) - liveDocumentCount(a.manifest))
    .slice(0, INDEXES_MAX)
    .map(({ manifest }) => manifest.uid);
}

/**
 * Resolves when all is asked, or it may not go on, with the number of searches that were made.
 * @param mayGoOn asked before each slice
 */
export async function askAhead(
  asking: AskingAhead,
  mayGoOn: () => boolean | Promise<boolean>,
): Promise<number> {
  let searches = 0;
  for (const uid of largeIndexes(asking.context)) searches += await askIndex(asking, uid, mayGoOn);
  return searches;
}

async function askIndex(
  { context, pool, threads }: AskingAhead,
  uid: string,
  mayGoOn: () => boolean | Promise<boolean>,
): Promise<number> {
  let searches = 0;
  const finished = new Set<number>();
  for (let waits = 0; finished.size < threads && waits < THREAD_WAITS_MAX && (await mayGoOn()); ) {
    const published = context.indexes.get(uid);
    if (published === undefined) break;
    const slices = Array.from({ length: threads }, () => askSlice(pool, published));
    const states = (await Promise.all(slices)).filter((state) => state !== null);
    if (states.length === 0) break;
    for (const { threadId, asked, left } of states) {
      searches += asked;
      if (left === 0) finished.add(threadId);
    }
    if (states.some(({ left }) => left > 0)) continue;
    if (finished.size === threads) break;
    waits++;
    await sleep(THREAD_WAIT_MS);
  }
  return searches;
}

/** null when it could not be read. */
async function askSlice(
  pool: Pick<QueryPool, 'run'>,
  index: PublishedIndex,
): Promise<AskedAheadReply | null> {
  return stateOf(await pool.run(madeTask(index, { kind: 'askAhead', budgetMs: SLICE_MS })));
}

const stateOf = (reply: QueryReply): AskedAheadReply | null =>
  reply.ok ? (JSON.parse(new TextDecoder().decode(reply.body)) as AskedAheadReply) : null;
