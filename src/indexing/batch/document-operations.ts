/** Input of an index writer for one batch, and its result before the commit. */
import type { WireError } from '../../core/errors.ts';
import type { BatchEndDocIds } from '../../model/batch-ends.ts';
import type { IndexManifest, SegmentEntry } from '../../model/index-manifest.ts';
import type { PayloadSource } from '../payload/open-payloads.ts';

export interface Upsert {
  readonly taskUid: number;
  readonly kind: 'upsert';
  readonly method: 'replace' | 'update';
  readonly payload: PayloadSource;
  readonly payloadBytes: number;
  readonly format: 'json' | 'ndjson';
  /** The key the task names, or null. */
  readonly primaryKey: string | null;
  readonly skipCreation: boolean;
  /** True for documents of a dump, which another server may have taken under other rules. */
  readonly wereStored: boolean;
}

/** One document task of a batch; a list of them is in task order. */
export type DocumentOperation =
  | Upsert
  | { readonly taskUid: number; readonly kind: 'deleteIds'; readonly ids: readonly string[] }
  /** JSON form of a filter on the documents stored before the batch. */
  | { readonly taskUid: number; readonly kind: 'deleteFilter'; readonly filter: unknown }
  | { readonly taskUid: number; readonly kind: 'deleteAll' };

export interface OperationResult {
  readonly taskUid: number;
  /** Non-null: the task changed nothing. */
  readonly error: WireError | null;
  /** Distinct ids of the payload. */
  readonly indexedDocuments: number;
  /** Documents that existed when the operation ran and were removed by it. */
  readonly deletedDocuments: number;
}

/** A change before its commit: not visible yet; the new segments' files are written and synced. */
export interface PreparedIndexChange {
  /** The change id that begins the names of all files written for it. */
  readonly changeIds: readonly [string];
  readonly newSegments: readonly SegmentEntry[];
  /**
   * All live segments after the change, with their new tombstones; segments without a live document
   * are removed.
   */
  readonly segments: readonly SegmentEntry[];
}

/** Result of an edit function. */
export interface PreparedEdit extends PreparedIndexChange {
  /** Of the index after the change. */
  readonly seenFieldPaths: readonly string[];
  /** Documents that the function ran on. */
  readonly editedDocuments: number;
  readonly deletedDocuments: number;
}

/** Result of a batch of operations; `primaryKey` and the members below it are of the index after the change. */
export interface PreparedDocuments extends PreparedIndexChange {
  /** One per operation, in their order. */
  readonly results: readonly OperationResult[];
  readonly primaryKey: string | null;
  readonly batchEndDocIds: BatchEndDocIds;
  readonly seenFieldPaths: readonly string[];
}

/** Applies the change to the index's manifest, for the catalog. */
export function manifestChange(
  prepared: PreparedDocuments,
): Pick<IndexManifest, 'primaryKey' | 'segments' | 'batchEndDocIds' | 'seenFieldPaths'> {
  const { primaryKey, segments, batchEndDocIds, seenFieldPaths } = prepared;
  return { primaryKey, segments, batchEndDocIds, seenFieldPaths };
}
