/**
 * Builds a snapshot from a manifest and open segments; reuses valid parts of an earlier snapshot.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { HASH_SEED, hashFinish, hashText } from '../../core/hash.ts';
import { type Analyzer, createAnalyzer, joinedLemmas } from '../../engine/analysis/analyzer.ts';
import type { ColumnsReader } from '../../engine/columns/columns-reader.ts';
import { docIdWords, liveDocuments } from '../../engine/segment/live-documents.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { toArray } from '../../engine/sets/bitset.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import { DocSet } from '../sets/doc-set.ts';
import { ChangeLog } from './change-log.ts';
import { buildScope, searchableFields } from './field-scope.ts';
import type { IndexSnapshot, WordLists } from './index-snapshot.ts';
import { QueryCache } from './query-cache.ts';
import { ResultStore } from './result-store.ts';
import { changeSince, type SnapshotChange } from './segment-subset.ts';
import { buildSynonymTable } from './synonym-table.ts';
import { TermOrdinalCache } from './term-ordinal-cache.ts';

export interface OpenSegment {
  readonly reader: SegmentReader;
  readonly dead: Uint32Array | null;
  readonly columns?: readonly ColumnsReader[];
  readonly vectors?: ReadonlyMap<string, VectorsFile>;
}

/** Size of the cache of a snapshot that shares none, in bytes. */
const OWN_CACHE_BYTES = 24 << 20;

/** Results are recomputed once more than 1/8 of the documents have been touched. */
const TOUCHED_SHARE = 8;

/**
 * `store` may be shared by the snapshots of one thread. `older` is a snapshot of the same index
 * that is no longer in use; its valid parts are reused.
 */
export function createSnapshot(
  manifest: IndexManifest,
  open: readonly OpenSegment[],
  store: ResultStore = new ResultStore(OWN_CACHE_BYTES),
  older: IndexSnapshot | null = null,
): IndexSnapshot {
  const segments = open.map((s) => s.reader);
  const dead = open.map((s) => s.dead);
  const liveBits = liveDocuments(open);
  const sameSettings =
    older !== null && equalJson(older.manifest.settings, manifest.settings) ? older : null;
  const earlier = sameSettings && continuedBy(sameSettings, manifest, segments);
  const paths = fieldPaths(segments, earlier);
  const fieldNumber = new Map(paths.map((path, i) => [path, i]));
  const fields = searchableFields(paths, manifest.settings);
  const analyzer = sameSettings?.analyzer ?? createAnalyzer(manifest.settings);
  const everywhere = buildScope(segments, fieldNumber, (field) => fields.weights[field]! >= 0);
  const live = DocSet.fromBits(liveBits.slice()).owned;
  const { history, since } = contentOf(manifest, open, live.count, earlier);
  const termOrdinalCache = older?.termOrdinalCache ?? new TermOrdinalCache();
  termOrdinalCache.note(
    manifest.generation,
    segments.map(({ id }) => id),
  );
  const snapshot: IndexSnapshot = {
    manifest,
    analyzer,
    segments,
    dead,
    columns: open.map((s) => s.columns ?? []),
    vectors: open.map((s) => s.vectors ?? new Map()),
    bitsetLength: liveBits.length,
    live,
    liveBits,
    fields,
    fieldNumber,
    everywhere,
    tolerant: fields.tolerant.every((isTolerant) => isTolerant)
      ? everywhere
      : buildScope(
          segments,
          fieldNumber,
          (field) => fields.weights[field]! >= 0 && fields.tolerant[field]!,
        ),
    wordLists: sameSettings?.wordLists ?? wordLists(manifest, analyzer),
    termOrdinalCache,
    history,
    since,
    places: null,
    queryCache: queryCache(
      manifest,
      store,
      history,
      sharedSubject(manifest, fields, sameSettings),
      () => snapshot,
    ),
  };
  return snapshot;
}

/** 64 bits as text. */
const longHash = (text: string): string =>
  [HASH_SEED, ~HASH_SEED].map((seed) => hashFinish(hashText(text, seed)).toString(36)).join('');

/**
 * Names, in all threads, what results about documents depend on besides the documents: the index,
 * its settings and its searchable fields. It is short, because it is part of every key.
 */
function sharedSubject(
  { id, settings }: IndexManifest,
  fields: IndexSnapshot['fields'],
  sameSettings: IndexSnapshot | null,
): string {
  const searchable = searchableNames(fields);
  return sameSettings !== null && searchableNames(sameSettings.fields) === searchable
    ? sameSettings.queryCache.subject('shared')
    : `${id}.${longHash(JSON.stringify(settings) + searchable)}`;
}

/** The searchable fields in an order of their own. */
const searchableNames = ({ paths, weights, tolerant }: IndexSnapshot['fields']): string =>
  JSON.stringify(
    paths
      .map((path, field) => [path, weights[field], tolerant[field]] as const)
      .filter(([, weight]) => weight! >= 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

function queryCache(
  manifest: IndexManifest,
  store: ResultStore,
  history: ChangeLog,
  shared: string,
  snapshot: () => IndexSnapshot,
): QueryCache<IndexSnapshot> {
  const changes = new Map<number, SnapshotChange | null>();
  const parts = new Map<string, IndexSnapshot>();
  const { id, generation } = manifest;
  const subjects = {
    generation: `${id}:${generation}`,
    content: history.name,
    file: `file ${id}`,
    shared,
  };
  return new QueryCache<IndexSnapshot>(store, subjects, () => ({
    generation,
    whole: snapshot(),
    changeSince(earlier) {
      return getOrCompute(changes, earlier, () => changeSince(snapshot(), earlier, parts));
    },
  }));
}

/** Returns the snapshot if its results can be patched: its field numbers are still valid. */
function continuedBy(
  older: IndexSnapshot,
  { generation }: IndexManifest,
  segments: readonly SegmentReader[],
): IndexSnapshot | null {
  if (generation <= older.manifest.generation) return null;
  const present = new Set(segments.flatMap((segment) => segment.fields));
  return older.fields.paths.every((path) => present.has(path)) ? older : null;
}

/** Paths of the earlier snapshot come first, in their order. */
const fieldPaths = (
  segments: readonly SegmentReader[],
  earlier: IndexSnapshot | null,
): string[] => [
  ...new Set([...(earlier?.fields.paths ?? []), ...segments.flatMap((s) => s.fields)]),
];

/** The changes of the documents since an earlier snapshot. */
function contentOf(
  manifest: IndexManifest,
  open: readonly OpenSegment[],
  liveCount: number,
  earlier: IndexSnapshot | null,
): Pick<IndexSnapshot, 'history' | 'since'> {
  const { id, generation, segments } = manifest;
  if (earlier === null)
    return {
      history: ChangeLog.from(id, generation, Math.floor(liveCount / TOUCHED_SHARE)),
      since: segments.map(() => generation),
    };
  const known = new Map(earlier.manifest.segments.map((segment, s) => [segment.id, s] as const));
  // Every batch changes the update time of the index; a merge does not.
  const isSame = earlier.manifest.updatedAt === manifest.updatedAt;
  const current = new Set(segments.map((segment) => segment.id));
  const gone = [...known].flatMap(([segmentId, s]) => (current.has(segmentId) ? [] : [s]));
  const sinceNew = isSame ? Math.max(0, ...gone.map((s) => earlier.since[s]!)) : generation;
  return {
    history: isSame
      ? earlier.history
      : earlier.history.extended(
          generation,
          touchedDocuments(manifest, open, earlier, known, gone),
        ),
    since: segments.map((segment) => {
      const s = known.get(segment.id);
      return s === undefined ? sinceNew : earlier.since[s]!;
    }),
  };
}
/** Documents that were written or deleted, or that moved to another segment. */
function touchedDocuments(
  { segments }: IndexManifest,
  open: readonly OpenSegment[],
  earlier: IndexSnapshot,
  known: ReadonlyMap<string, number>,
  gone: readonly number[],
): Uint32Array {
  const bits = new Uint32Array(Math.max(earlier.bitsetLength, docIdWords(open.map(readerOf))));
  for (const s of gone) earlier.segments[s]!.ranks.addLive(earlier.dead[s]!, bits);
  open.forEach(({ reader, dead }, i) => {
    const s = known.get(segments[i]!.id);
    if (s === undefined) reader.ranks.addLive(dead, bits);
    else if (dead !== null && dead !== earlier.dead[s]) addDifference(bits, dead, earlier.dead[s]!);
  });
  return toArray(bits);
}

const readerOf = ({ reader }: OpenSegment): SegmentReader => reader;

/** `bits` ∪= `numbers` − `others`. */
function addDifference(bits: Uint32Array, numbers: Uint32Array, others: Uint32Array | null): void {
  for (let i = 0; i < numbers.length; i++) bits[i]! |= numbers[i]! & ~(others?.[i] ?? 0);
}

const equalJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function wordLists({ settings }: IndexManifest, analyzer: Analyzer): WordLists {
  const normalised = settings.typoTolerance.disableOnWords.map((entry) =>
    joinedLemmas(analyzer, entry),
  );
  return {
    synonyms: buildSynonymTable(settings.synonyms, analyzer),
    protectedWords: new Set(normalised),
  };
}
