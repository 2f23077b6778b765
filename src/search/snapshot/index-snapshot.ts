/**
 * Immutable view of one generation of one index: its settings, open segments and everything derived
 * from the two.
 */

import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { ColumnsReader } from '../../engine/columns/columns-reader.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { ChangeLog } from './change-log.ts';
import type { FieldScope, SearchableFields } from './field-scope.ts';
import type { QueryCache } from './query-cache.ts';
import type { SynonymTable } from './synonym-table.ts';
import type { TermOrdinalCache } from './term-ordinal-cache.ts';

export interface IndexSnapshot {
  readonly manifest: IndexManifest;
  readonly analyzer: Analyzer;
  readonly segments: readonly SegmentReader[];
  /** Deleted documents of each segment, null when all are live. */
  readonly dead: readonly (Uint32Array | null)[];
  /** Column files of each segment. */
  readonly columns: readonly (readonly ColumnsReader[])[];
  /** Vectors of each segment by embedder. */
  readonly vectors: readonly ReadonlyMap<string, VectorsFile>[];
  /** Length of document bitsets in 32-bit words. */
  readonly bitsetLength: number;
  readonly live: DocSet;
  readonly liveBits: Uint32Array;
  readonly fields: SearchableFields;
  readonly fieldNumber: ReadonlyMap<string, number>;
  /** All searchable fields; positions and pairs are read with this scope. */
  readonly everywhere: FieldScope;
  /**
   * The searchable fields where typos are allowed; `everywhere` itself when typos are allowed in
   * all.
   */
  readonly tolerant: FieldScope;
  readonly wordLists: WordLists;
  readonly termOrdinalCache: TermOrdinalCache;
  readonly queryCache: QueryCache<IndexSnapshot>;
  readonly history: ChangeLog;
  /** For each segment, the last generation that wrote one of its documents. */
  readonly since: readonly number[];
  /**
   * For a subset of a snapshot's segments: their places in that snapshot, whose DocIds and field
   * numbers are used. null for a complete snapshot.
   */
  readonly places: readonly number[] | null;
}

/** Word lists of the settings in normalised form. */
export interface WordLists {
  readonly synonyms: SynonymTable;
  /** `disableOnWords`. */
  readonly protectedWords: ReadonlySet<string>;
}
