/** The work of a query task on open indexes, by its kind: the JSON bytes of the response. */
import { Deadline, type WorkEnd } from '../core/deadline.ts';
import { limits } from '../core/limits.ts';
import { StepTimes } from '../core/step-times.ts';
import { DocumentTemplate, isSearchableIn } from '../embedding/templates/document-template.ts';
import type { QueryReply, QueryWork, SearchWork } from '../ipc/queries/query-protocol.ts';
import type { FederatedSearch } from '../model/federation.ts';
import type { Rerank } from '../model/search.ts';
import type { Settings } from '../model/settings.ts';
import type { ThreadMetrics } from '../observability/query-metrics.ts';
import type { TextOf } from '../search/answer/rerank-input.ts';
import { writeSearchAnswer, writeSimilarAnswer } from '../search/answer/write-answer.ts';
import { executeFederatedSearch } from '../search/execute-federated-search.ts';
import { executeSearch } from '../search/execute-search.ts';
import { searchFacet, writeFacetSearchAnswer } from '../search/facet-search.ts';
import type { FederatedIndex } from '../search/federated-window.ts';
import { fingerprintDocuments } from '../search/fingerprint-documents.ts';
import { listFields } from '../search/list-fields.ts';
import { readDocument, readDocuments } from '../search/read-documents.ts';
import { similarDocuments } from '../search/similar-documents.ts';
import type { ForeignIndexes } from '../search/snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../search/snapshot/index-snapshot.ts';
import { indexFigures } from '../search/snapshot/index-stats.ts';
import { settingsRebuilds } from '../segments/settings-rebuilds.ts';

export interface FurtherIndex {
  readonly snapshot: IndexSnapshot;
  readonly foreign: ForeignIndexes;
  readonly search: FederatedSearch;
}

interface ReadIndexes {
  readonly snapshot: IndexSnapshot;
  readonly foreign: ForeignIndexes;
  readonly further: readonly FurtherIndex[];
  readonly time: WorkTime;
  readonly metrics: ThreadMetrics;
  readonly bytesMax: number;
  readonly slowSearchMs: number;
}

/** Time limits of a task: ranking cutoff, and end of the request. */
export interface WorkTime {
  /** Start time of search cutoffs. */
  readonly cutoffSinceMs: number;
  readonly end: WorkEnd;
}

/** Calls `read` with the index under other settings. */
type WithSettings = (
  settings: Settings,
  read: (snapshot: IndexSnapshot) => QueryReply,
) => QueryReply;

type Work<Kind extends QueryWork['kind']> = Extract<QueryWork, { kind: Kind }>;

const UTF8 = new TextEncoder();
export const NOTHING = new Uint8Array(0);
const now = (): number => performance.now();

/** Cutoff of all searches of a task together. */
export const deadlineOf = (
  { manifest: { settings } }: IndexSnapshot,
  { cutoffSinceMs, end }: WorkTime,
): Deadline =>
  Deadline.at(cutoffSinceMs + (settings.searchCutoffMs ?? limits.searchCutoffMsDefault), now, end);

export function runWork(
  read: ReadIndexes,
  work: Exclude<QueryWork, { kind: 'preopen' | 'close' }>,
  withSettings: WithSettings,
): QueryReply {
  const { snapshot, foreign, time, bytesMax } = read;
  switch (work.kind) {
    case 'search':
      return search(read, work);
    case 'federated': {
      const first = { snapshot, foreign, search: work.search };
      const indexes = [first, ...read.further].map((index) => federatedIndex(index, time));
      const { parts, bytes } = executeFederatedSearch(indexes, bytesMax);
      return { ok: true, body: bytes, parts };
    }
    case 'settingsPreview':
      return previewSettings(read, work, withSettings);
    case 'facetSearch': {
      const start = now();
      const hits = searchFacet(snapshot, work.request, deadlineOf(snapshot, time), foreign);
      const spentMs = Math.floor(work.spentMs + now() - start);
      return done(writeFacetSearchAnswer(work.request, hits, spentMs));
    }
    case 'similar':
      return done(similar(read, work));
    case 'document':
      return done(readDocument(snapshot, work.id, work, bytesMax));
    case 'documents':
      return done(
        readDocuments(snapshot, work.request, deadlineOf(snapshot, time), foreign, bytesMax),
      );
    case 'fields':
      return done(listFields(snapshot, work.request, () => time.end.check()));
    case 'fingerprint':
      return done(fingerprintDocuments(snapshot, work.request, () => time.end.check()));
    case 'stats':
      return done(UTF8.encode(JSON.stringify(indexFigures(snapshot))));
  }
}

function federatedIndex(
  { snapshot, foreign, search }: FurtherIndex,
  time: WorkTime,
): FederatedIndex {
  const rerank = search.queries[0]?.request.rerank ?? null;
  const textOf = rerank === null ? null : rerankText(snapshot, rerank);
  return { snapshot, search, deadline: deadlineOf(snapshot, time), foreign, textOf };
}

/** Text of a document for a reranker; null where the template fails. */
function rerankText(
  { manifest: { settings } }: IndexSnapshot,
  { documentTemplate, documentTemplateMaxBytes }: Rerank,
): TextOf {
  const template = DocumentTemplate.parse(documentTemplate, documentTemplateMaxBytes);
  const isSearchable = isSearchableIn(settings.searchableAttributes);
  return (document) => template.renderOrNull(document, isSearchable);
}

const done = (body: Uint8Array): QueryReply => ({ ok: true, body });

function search(
  { snapshot, foreign, time, metrics, bytesMax, slowSearchMs }: ReadIndexes,
  { request, requestUid, spentMs }: Omit<SearchWork, 'kind'>,
): QueryReply {
  const { times, facts } = startTimes(request, spentMs);
  const deadline = deadlineOf(snapshot, time);
  const outcome = executeSearch(snapshot, request, deadline, times, foreign);
  const allFacts = () => ({
    requestUid,
    ...facts(),
    ...(request.showProfile && { profile: times.stages }),
  });
  const textOf = request.rerank === null ? {} : { textOf: rerankText(snapshot, request.rerank) };
  const parts = { times, deadline, foreign, bytesMax, ...textOf };
  const { bytes, places } = writeSearchAnswer(snapshot, request, outcome, allFacts, parts);
  if (outcome.isDegraded) metrics.count('degradedSearches');
  metrics.tookSteps(times.steps);
  const isSlow = slowSearchMs > 0 && times.total >= slowSearchMs;
  const reply: QueryReply = outcome.isDegraded
    ? { ok: true, body: bytes, isDegraded: true }
    : { ok: true, body: bytes, places };
  return isSlow ? { ...reply, steps: Object.fromEntries(times.steps) } : reply;
}

function similar(
  { snapshot, foreign, time, metrics, bytesMax }: ReadIndexes,
  { request, spentMs }: Work<'similar'>,
): Uint8Array {
  const { times, facts } = startTimes(request, spentMs);
  const deadline = deadlineOf(snapshot, time);
  const found = similarDocuments(snapshot, request, deadline, times, foreign);
  const parts = { times, deadline, foreign, bytesMax };
  const bytes = writeSimilarAnswer(snapshot, request, found, facts, parts);
  metrics.tookSteps(times.steps);
  return bytes;
}

/** Index rebuilds that the settings need; and, if none, the search under the new settings. */
function previewSettings(
  read: ReadIndexes,
  { settings, embeds, search: previewed }: Work<'settingsPreview'>,
  withSettings: WithSettings,
): QueryReply {
  const { segments, settings: current } = read.snapshot.manifest;
  const rebuilds = settingsRebuilds(segments, current, settings);
  const head = `"rebuilds":${JSON.stringify(rebuilds)},"embeds":${JSON.stringify(embeds)}`;
  if (previewed === null || rebuilds.length > 0 || embeds.length > 0)
    return done(UTF8.encode(`{${head},"result":null}`));
  const reply = withSettings(settings, (snapshot) => search({ ...read, snapshot }, previewed));
  if (!reply.ok) return reply;
  const parts = [UTF8.encode(`{${head},"result":`), reply.body, UTF8.encode('}')];
  return done(Buffer.concat(parts));
}

/** Times for the response. @param spentMs before this thread received the request */
function startTimes(
  { showPerformanceDetails }: { readonly showPerformanceDetails: boolean },
  spentMs: number,
) {
  const start = now();
  const times = new StepTimes(now);
  times.add('wait for a thread', spentMs);
  const facts = () => ({
    processingTimeMs: Math.floor(spentMs + now() - start),
    ...(showPerformanceDetails && { performanceDetails: times.details }),
  });
  return { times, facts };
}
