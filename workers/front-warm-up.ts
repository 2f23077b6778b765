/**
 * Part of a front: its warm-up. After it listens, it replays recorded searches of the index from
 * the build through the request pipeline and every query thread, so that the first searches of
 * users run JIT-compiled code.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiContext } from '../src/api/contract/context.ts';
import { KeptFingerprints } from '../src/api/contract/kept-fingerprints.ts';
import { ResponseCache } from '../src/api/contract/response-cache.ts';
import type { AskedRoute } from '../src/api/contract/route.ts';
import { routes } from '../src/api/routes/index.ts';
import { DIGEST_LIMITS } from '../src/engine/segment/range-digests-writer.ts';
import { InnerExchange } from '../src/http/inner-exchange.ts';
import { RequestPipeline } from '../src/http/request-pipeline.ts';
import type { QueryPool } from '../src/ipc/queries/query-pool.ts';
import { CheckedIndexes } from '../src/ipc/replica/checked-indexes.ts';
import { PublishedIndexes } from '../src/ipc/replica/published-indexes.ts';
import { liveDocumentCount } from '../src/model/index-manifest.ts';
import { createLogger, type Logger } from '../src/observability/logger.ts';
import { RequestMetrics } from '../src/observability/request-metrics.ts';
import { mallocTrim } from '../src/os/malloc-trim.ts';
import {
  BUILT_MANIFEST,
  WARM_UP_REQUESTS,
  type WarmUpRequest,
  warmUpFolder,
} from '../src/runtime/built-indexes.ts';

interface WarmedFront {
  readonly context: ApiContext;
  readonly pool: Pick<QueryPool, 'run'>;
}

interface FrontWarmUp extends WarmedFront {
  readonly pool: Pick<QueryPool, 'run' | 'whenLoaded' | 'closeIndex'>;
  /** Threads of the pool. */
  readonly threads: number;
  /** Folder with the files of `built-indexes.ts`; default: the build output. */
  readonly folder?: URL;
}

/** Letters by the number of English words that begin with them. */
const LETTERS = [...'tascopimbdrfwhelgnuvjkqyz'];
const LETTERS_MS = 1000;
const LARGE_INDEXES_MAX = 8;

/** Requests are logged at debug level; warm-up requests are not logged. */
const NO_LOG = createLogger({ level: 'error', mode: 'JSON', name: 'warm-up' });

/** null when the sources run without a build. */
function readText(folder: URL, name: string): string | null {
  try {
    return readFileSync(new URL(name, folder), 'utf8');
  } catch {
    return null;
  }
}

/**
 * Sends requests through the pipeline as internal requests.
 * @param onTask counts tasks of the pool
 */
function createSender(
  { context, pool }: WarmedFront,
  read: Pick<ApiContext, 'indexes' | 'checked'>,
  onTask: () => void,
): (asked: AskedRoute) => Promise<void> {
  const run: QueryPool['run'] = (task, caller) => {
    onTask();
    return pool.run({ ...task, isSynthetic: true }, caller);
  };
  const pipeline = new RequestPipeline(routes, {
    ...context,
    ...read,
    logger: NO_LOG,
    config: { ...context.config, masterKey: null, formerMasterKey: null, slowSearchMs: 0 },
    // Each thread must run each search.
    responseCache: new ResponseCache(0),
    keptFingerprints: new KeptFingerprints(),
    queryPool: { run },
    requestMetrics: new RequestMetrics(),
    usage: null,
    analytics: null,
    audit: null,
    traces: null,
  });
  return (asked) =>
    new Promise((resolve) => {
      pipeline.handle(new InnerExchange(null, asked, () => resolve()));
    });
}

/** Resolves with the number of searches done, when all have run or `signal` has aborted. */
export async function replayRequests(
  { context, pool, threads, folder = warmUpFolder }: FrontWarmUp,
  signal: AbortSignal,
): Promise<number> {
  const manifest = readText(folder, BUILT_MANIFEST);
  const requests = readText(folder, WARM_UP_REQUESTS);
  if (manifest === null || requests === null) return 0;
  const indexes = new PublishedIndexes(() => fileURLToPath(folder));
  indexes.publish(manifest);
  let count = 0;
  const send = createSender({ context, pool }, { indexes, checked: new CheckedIndexes() }, () => {
    count++;
  });
  await pool.whenLoaded();
  for (const { path, body } of JSON.parse(requests) as WarmUpRequest[]) {
    if (signal.aborted) return count;
    const asked: AskedRoute = { method: 'POST', target: path, body: JSON.parse(body) };
    await Promise.all(Array.from({ length: threads }, () => send(asked)));
  }
  for (const index of indexes.list()) await pool.closeIndex(index);
  return count;
}

/** Indexes with at least one segment that has digests of frequent prefixes, the largest first. */
function largeIndexes({ indexes, checked }: ApiContext): string[] {
  return indexes
    .list()
    .filter(({ manifest: { id, segments } }) => {
      const isLarge = segments.some((each) => each.documentCount >= DIGEST_LIMITS.documentsMin);
      return isLarge && checked.isReadable(id);
    })
    .sort((a, b) => liveDocumentCount(b.manifest) - liveDocumentCount(a.manifest))
    .slice(0, LARGE_INDEXES_MAX)
    .map(({ manifest }) => manifest.uid);
}

/**
 * Before the front listens, one thread searches large indexes for single letters, so that the first
 * letter that a user types runs JIT-compiled code. Takes at most `LETTERS_MS` and one more search.
 */
export async function searchFirstLetters(
  { context, pool }: WarmedFront,
  signal: AbortSignal,
  now = (): number => performance.now(),
): Promise<number> {
  const endMs = now() + LETTERS_MS;
  let count = 0;
  const send = createSender({ context, pool }, context, () => {
    count++;
  });
  for (const uid of largeIndexes(context)) {
    for (const q of LETTERS) {
      if (signal.aborted || now() >= endMs) return count;
      await send({ method: 'POST', target: `/indexes/${uid}/search`, body: { q } });
    }
  }
  return count;
}

/** Never rejects. */
export async function warmUpFront(
  warmUp: FrontWarmUp,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const startMs = performance.now();
  try {
    const searches = await replayRequests(warmUp, signal);
    mallocTrim();
    log.debug({ searches, ms: Math.round(performance.now() - startMs) }, 'warmed up');
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'the warm-up failed');
  }
}
