/** Immutable view of one generation of one index: its settings, open segments and everything derived from the two. */

import type { Analyzer } from '../engine/analysis/analyzer.ts';
import { createAnalyzer } from '../engine/analysis/analyzer.ts';
import type { ColumnsReader } from '../engine/columns/columns.ts';
import { liveDocuments } from '../engine/segment/live-documents.ts';
import type { OccurrenceBuffer, SegmentReader } from '../engine/segment/segment.ts';
import type { IndexManifest } from '../model/index-manifest.ts';
import { BudgetCache } from './budget-cache.ts';
import { DocSet } from './doc-set.ts';
import { buildScope, type FieldScope, type SearchableFields, searchableFields } from './field-scope.ts';
import { buildSynonymTable, type SynonymTable } from './synonym-table.ts';

export interface IndexSnapshot {
  readonly manifest: IndexManifest;
  readonly analyzer: Analyzer;
  readonly segments: readonly SegmentReader[];
  /** Dead documents of each segment, null when all are alive. */
  readonly dead: readonly (Uint32Array | null)[];
  /** Column files of each segment. */
  readonly columns: readonly (readonly ColumnsReader[])[];
  /** Length of document bitsets in 32-bit words. */
  readonly words: number;
  readonly live: DocSet;
  readonly liveBits: Uint32Array;
  readonly fields: SearchableFields;
  readonly fieldNumber: ReadonlyMap<string, number>;
  /** All searchable fields; what positions and pairs are read with. */
  readonly everywhere: FieldScope;
  /** The searchable fields where words reached by typo count; `everywhere` itself when those are all. */
  readonly tolerant: FieldScope;
  readonly wordLists: WordLists;
  readonly scratch: Scratch;
  /** Results that later searches use again, under keys that begin with `cacheKey` or `contentKey` and a space. */
  readonly cache: BudgetCache<unknown>;
  /** Names the generation: for results that point into its segments. */
  readonly cacheKey: string;
  /** Names what the index holds, which a merge does not change: for results made of DocIds and field numbers alone. */
  readonly contentKey: string;
}

/** Word lists of the settings in normalised form. */
export interface WordLists {
  readonly synonyms: SynonymTable;
  /** `disableOnWords`. */
  readonly protectedWords: ReadonlySet<string>;
}

/** Space that a thread's searches share, one search at a time. */
export interface Scratch {
  /** All zero between uses: for a universe, for a part of it, and for documents that may hold a pair of words. */
  readonly bits: Uint32Array;
  readonly otherBits: Uint32Array;
  readonly pairBits: Uint32Array;
  /** For documents gathered term by term. */
  readonly list: Uint32Array;
  readonly occurrences: OccurrenceBuffer;
  readonly otherOccurrences: OccurrenceBuffer;
  /** DocId → slot of the position table that used them last. */
  readonly slots: Int32Array;
  slotsOwner: symbol | null;
}

export interface OpenSegment {
  readonly reader: SegmentReader;
  readonly dead: Uint32Array | null;
  readonly columns?: readonly ColumnsReader[];
}

function createScratch(words: number): Scratch {
  return {
    bits: new Uint32Array(words),
    otherBits: new Uint32Array(words),
    pairBits: new Uint32Array(words),
    list: new Uint32Array(words),
    occurrences: { docs: new Uint32Array(1024), keys: new Uint32Array(1024), length: 0 },
    otherOccurrences: { docs: new Uint32Array(1024), keys: new Uint32Array(1024), length: 0 },
    slots: new Int32Array(words * 32),
    slotsOwner: null,
  };
}

/** Cache of a snapshot that shares none. */
const OWN_CACHE_BYTES = 24 << 20;

/**
 * `cache` may be shared by the snapshots of one thread. `older` is a snapshot of the same index that is not used any more: what
 * still holds is taken from it.
 */
export function createSnapshot(
  manifest: IndexManifest,
  open: readonly OpenSegment[],
  cache: BudgetCache<unknown> = new BudgetCache(OWN_CACHE_BYTES),
  older: IndexSnapshot | null = null,
): IndexSnapshot {
  const segments = open.map((s) => s.reader);
  const dead = open.map((s) => s.dead);
  const liveBits = liveDocuments(open);
  const words = liveBits.length;
  const paths = [...new Set(segments.flatMap((s) => s.fields))];
  const fieldNumber = new Map(paths.map((path, i) => [path, i]));
  const fields = searchableFields(paths, manifest.settings);
  const sameSettings = older !== null && equalJson(older.manifest.settings, manifest.settings) ? older : null;
  const analyzer = sameSettings?.analyzer ?? createAnalyzer(manifest.settings);
  const cacheKey = `${manifest.id}:${manifest.generation}`;
  const everywhere = buildScope(segments, fieldNumber, (field) => fields.weights[field]! >= 0);
  return {
    manifest,
    analyzer,
    segments,
    dead,
    columns: open.map((s) => s.columns ?? []),
    words,
    live: DocSet.fromBits(liveBits.slice()),
    liveBits,
    fields,
    fieldNumber,
    everywhere,
    tolerant: fields.tolerant.every((isTolerant) => isTolerant)
      ? everywhere
      : buildScope(segments, fieldNumber, (field) => fields.weights[field]! >= 0 && fields.tolerant[field]!),
    wordLists: sameSettings?.wordLists ?? wordLists(manifest, analyzer),
    scratch: older?.words === words ? older.scratch : createScratch(words),
    cache,
    cacheKey,
    contentKey:
      older !== null && hasSameContent(older, manifest, paths, words) ? older.contentKey : `content ${cacheKey}`,
  };
}

/** True when documents, settings and the numbers of both are the same: every batch dates its index anew, a merge does not. */
const hasSameContent = (
  older: IndexSnapshot,
  manifest: IndexManifest,
  paths: readonly string[],
  words: number,
): boolean =>
  older.manifest.updatedAt === manifest.updatedAt &&
  older.words === words &&
  equalJson([...older.fieldNumber.keys()], paths);

const equalJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function wordLists({ settings }: IndexManifest, analyzer: Analyzer): WordLists {
  const normalised = settings.typoTolerance.disableOnWords.map((entry) =>
    analyzer
      .tokenize(entry, null)
      .map((token) => token.lemma)
      .join(''),
  );
  return { synonyms: buildSynonymTable(settings.synonyms, analyzer), protectedWords: new Set(normalised) };
}
