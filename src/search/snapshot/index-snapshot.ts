/**
 * Immutable view of one generation of one index: its settings, open segments and everything derived
 * from the two.
 */

import { BudgetCache } from '../../core/budget-cache.ts';
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import { createAnalyzer } from '../../engine/analysis/analyzer.ts';
import type { ColumnsReader } from '../../engine/columns/columns.ts';
import { liveDocuments } from '../../engine/segment/live-documents.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import type { VectorsReader } from '../../engine/vectors/vectors.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import { DocSet } from '../sets/doc-set.ts';
import {
  buildScope,
  type FieldScope,
  type SearchableFields,
  searchableFields,
} from './field-scope.ts';
import { KeptResults, type KeptValue, type Subjects } from './kept-results.ts';
import { buildSynonymTable, type SynonymTable } from './synonym-table.ts';

export interface IndexSnapshot {
  readonly manifest: IndexManifest;
  readonly analyzer: Analyzer;
  readonly segments: readonly SegmentReader[];
  /** Dead documents of each segment, null when all are alive. */
  readonly dead: readonly (Uint32Array | null)[];
  /** Column files of each segment. */
  readonly columns: readonly (readonly ColumnsReader[])[];
  /** Vectors of each segment by embedder. */
  readonly vectors: readonly ReadonlyMap<string, VectorsReader>[];
  /** Length of document bitsets in 32-bit words. */
  readonly bitsetLength: number;
  readonly live: DocSet;
  readonly liveBits: Uint32Array;
  readonly fields: SearchableFields;
  readonly fieldNumber: ReadonlyMap<string, number>;
  /** All searchable fields; what positions and pairs are read with. */
  readonly everywhere: FieldScope;
  /**
   * The searchable fields where words reached by typo count; `everywhere` itself when those are
   * all.
   */
  readonly tolerant: FieldScope;
  readonly wordLists: WordLists;
  readonly kept: KeptResults;
}

/** Word lists of the settings in normalised form. */
export interface WordLists {
  readonly synonyms: SynonymTable;
  /** `disableOnWords`. */
  readonly protectedWords: ReadonlySet<string>;
}

export interface OpenSegment {
  readonly reader: SegmentReader;
  readonly dead: Uint32Array | null;
  readonly columns?: readonly ColumnsReader[];
  readonly vectors?: ReadonlyMap<string, VectorsReader>;
}

/** Cache of a snapshot that shares none. */
const OWN_CACHE_BYTES = 24 << 20;

/**
 * `cache` may be shared by the snapshots of one thread. `older` is a snapshot of the same index
 * that is not used any more: what still holds is taken from it.
 */
export function createSnapshot(
  manifest: IndexManifest,
  open: readonly OpenSegment[],
  cache: BudgetCache<KeptValue> = new BudgetCache(OWN_CACHE_BYTES),
  older: IndexSnapshot | null = null,
): IndexSnapshot {
  const segments = open.map((s) => s.reader);
  const dead = open.map((s) => s.dead);
  const liveBits = liveDocuments(open);
  const bitsetLength = liveBits.length;
  const paths = [...new Set(segments.flatMap((s) => s.fields))];
  const fieldNumber = new Map(paths.map((path, i) => [path, i]));
  const fields = searchableFields(paths, manifest.settings);
  const sameSettings =
    older !== null && equalJson(older.manifest.settings, manifest.settings) ? older : null;
  const analyzer = sameSettings?.analyzer ?? createAnalyzer(manifest.settings);
  const everywhere = buildScope(segments, fieldNumber, (field) => fields.weights[field]! >= 0);
  return {
    manifest,
    analyzer,
    segments,
    dead,
    columns: open.map((s) => s.columns ?? []),
    vectors: open.map((s) => s.vectors ?? new Map()),
    bitsetLength,
    live: DocSet.fromBits(liveBits.slice()),
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
    kept: new KeptResults(
      cache,
      keptSubjects(
        manifest,
        older !== null && hasSameContent(older, manifest, paths, bitsetLength) ? older : null,
      ),
    ),
  };
}

/** @param sameContent a snapshot whose results by content hold for this one too */
function keptSubjects(
  { id, generation }: IndexManifest,
  sameContent: IndexSnapshot | null,
): Subjects {
  const name = `${id}:${generation}`;
  return {
    generation: name,
    content: sameContent?.kept.subject('content') ?? `content ${name}`,
    file: `file ${id}`,
  };
}

/**
 * True when documents, settings and the numbers of both are the same: every batch dates its index
 * anew, a merge does not.
 */
const hasSameContent = (
  older: IndexSnapshot,
  manifest: IndexManifest,
  paths: readonly string[],
  bitsetLength: number,
): boolean =>
  older.manifest.updatedAt === manifest.updatedAt &&
  older.bitsetLength === bitsetLength &&
  equalJson([...older.fieldNumber.keys()], paths);

const equalJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function wordLists({ settings }: IndexManifest, analyzer: Analyzer): WordLists {
  const normalised = settings.typoTolerance.disableOnWords.map((entry) =>
    analyzer
      .tokenize(entry, null)
      .map((token) => token.lemma)
      .join(''),
  );
  return {
    synonyms: buildSynonymTable(settings.synonyms, analyzer),
    protectedWords: new Set(normalised),
  };
}
