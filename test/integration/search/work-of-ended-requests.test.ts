/** Work of any kind stops when its request ends: at the time limit, or when the client leaves. */
import { expect, it } from 'vitest';
import { newManifest } from '../../../src/catalog/manifest.ts';
import { toProcessMs } from '../../../src/core/process-clock.ts';
import type { QueryTask, QueryWork } from '../../../src/ipc/queries/query-protocol.ts';
import { StopFlags } from '../../../src/ipc/queries/stop-flags.ts';
import { encodeManifest } from '../../../src/model/index-manifest.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../src/model/search.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/settings.ts';
import { ThreadMetrics } from '../../../src/observability/query-metrics.ts';
import { QueryWorker } from '../../../src/queries/query-worker.ts';

const manifest = encodeManifest({
  ...newManifest('films', 1, 'id', '2026-01-01T00:00:00Z'),
  settings: { ...DEFAULT_SETTINGS, filterableAttributes: ['genre'] },
});
const shared = new SharedArrayBuffer(manifest.length);
new Uint8Array(shared).set(manifest);

const taskOf = (work: QueryWork): QueryTask => ({
  snapshotKey: '1:1',
  manifest: shared,
  location: 'films',
  work,
});

const request = { ...DEFAULT_SEARCH_REQUEST, q: 'fog' };
const query = { request, position: 0, weight: 1 };
const window = { offset: 0, limit: 20 };
const federated = {
  window,
  distinct: null,
  grouping: null,
  facets: null,
  isShared: false,
  remote: null,
  isForPeer: false,
  mergesFacets: false,
};
const kinds: readonly QueryWork[] = [
  { kind: 'search', request, requestUid: '', spentMs: 0 },
  { kind: 'federated', search: { ...federated, queries: [query] } },
  {
    kind: 'facetSearch',
    request: { facetName: 'genre', facetQuery: null, search: request },
    spentMs: 0,
  },
  {
    kind: 'documents',
    request: {
      offset: 0,
      limit: 20,
      ids: null,
      filter: null,
      sort: [],
      fields: null,
      retrieveVectors: false,
    },
  },
];

it.each(kinds)('$kind', (work) => {
  const stopFlags = new StopFlags(new SharedArrayBuffer(StopFlags.bytesFor(2)));
  const worker = new QueryWorker({
    cache: { ownBytes: 1 << 20, shared: new SharedArrayBuffer(1 << 20), threads: 1 },
    slowSearchMs: 0,
    metrics: ThreadMetrics.alone(),
    stopFlags,
    answerBytesMax: 1 << 20,
  });
  const task = { ...taskOf(work), endsAtMs: toProcessMs(performance.now() + 60_000) };
  expect(worker.answer({ task, stopSlot: 1 })).toMatchObject({ ok: true });
  const late = { ...task, endsAtMs: toProcessMs(performance.now() - 1) };
  expect(worker.answer({ task: late, stopSlot: 1 })).toMatchObject({
    ok: false,
    error: { code: 'search_timeout' },
  });
  stopFlags.raise(1);
  expect(worker.answer({ task, stopSlot: 1 })).toMatchObject({
    ok: false,
    error: { message: 'The client closed the connection.' },
  });
});
