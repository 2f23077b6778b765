/**
 * The indexes that the foreign keys of a searched index refer to, restricted to the documents that
 * the search may see. Joins have one level: foreign keys of these indexes are not followed.
 */
import type { DocSet } from '../sets/doc-set.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

export interface ForeignIndex {
  readonly snapshot: IndexSnapshot;
  /**
   * Documents that the caller may see; null = all. Computed at first access. @throws ApiError for a
   * filter of the caller's that the settings of the index do not allow
   */
  readonly visible: DocSet | null;
}

/**
 * By the field whose values are document ids; contains no index that the search has no access to.
 */
export type ForeignIndexes = ReadonlyMap<string, ForeignIndex>;

export const NO_FOREIGN_INDEXES: ForeignIndexes = new Map();
