/**
 * Immutable view of one generation of one index: its settings, open segments and everything derived
 * from the two.
 */

import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { ColumnsReader } from '../../engine/columns/columns.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { ContentHistory } from './content-history.ts';
import type { FieldScope, SearchableFields } from './field-scope.ts';
import type { KeptResults } from './kept-results.ts';
import type { KnownWords } from './known-words.ts';
import type { SynonymTable } from './synonym-table.ts';

export interface IndexSnapshot {
  readonly manifest: IndexManifest;
  readonly analyzer: Analyzer;
  readonly segments: readonly SegmentReader[];
  /** Dead documents of each segment, null when all are alive. */
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
  /** All searchable fields; what positions and pairs are read with. */
  readonly everywhere: FieldScope;
  /**
   * The searchable fields where words reached by typo count; `everywhere` itself when those are
   * all.
   */
  readonly tolerant: FieldScope;
  readonly wordLists: WordLists;
  readonly knownWords: KnownWords;
  readonly kept: KeptResults<IndexSnapshot>;
  readonly history: ContentHistory;
  /** For each segment the last generation that wrote a document which is in it now. */
  readonly since: readonly number[];
  /**
   * The places of these segments in the snapshot that this is a part of, with its DocIds and field
   * numbers; null when it is whole.
   */
  readonly places: readonly number[] | null;
}

/** Word lists of the settings in normalised form. */
export interface WordLists {
  readonly synonyms: SynonymTable;
  /** `disableOnWords`. */
  readonly protectedWords: ReadonlySet<string>;
}
