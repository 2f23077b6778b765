/**
 * The indexes whose documents the foreign keys of a searched index name: what of them one search
 * may see. They know no foreign keys of their own there.
 */
import type { DocSet } from '../sets/doc-set.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

export interface ForeignIndex {
  readonly snapshot: IndexSnapshot;
  /**
   * Its documents that the caller may see; null = all. Found when it is asked for first.
   * @throws ApiError for a filter of the caller's that the settings of the index do not allow
   */
  readonly visible: DocSet | null;
}

/** By the field whose values name documents; indexes that the search does not reach are left out. */
export type ForeignIndexes = ReadonlyMap<string, ForeignIndex>;

export const NO_FOREIGN_INDEXES: ForeignIndexes = new Map();
