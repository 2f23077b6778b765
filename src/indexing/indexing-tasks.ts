/** Messages from an index writer to the indexing threads: name → [task, result]. Plain data. */

import type { WireError } from '../core/errors.ts';
import type { SegmentBody } from '../engine/segment/segment-writer.ts';
import type { StoredDocumentSections } from '../engine/segment/stored-documents.ts';
import type { ColumnsEntry, SegmentEntry } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import type { DocumentEdition } from '../model/task.ts';
import type { DocumentOperation, OperationResult } from './document-operations.ts';
import type { DocumentWrites } from './document-writes.ts';
import type { ParsedPayload } from './parse-payload.ts';

/** Which state of which index a task reads. */
export interface IndexState {
  /** Absolute folder of the index. */
  readonly directory: string;
  /** All live segments. */
  readonly segments: readonly SegmentEntry[];
}

export interface NewSegmentsOptions {
  readonly settings: Settings;
  /** Never used before in this index. */
  readonly idPrefix: string;
  readonly rawBytesMax: number;
  readonly memoryBytesMax: number;
}

export interface ResolveTask extends IndexState {
  readonly settings: Settings;
  readonly operations: readonly DocumentOperation[];
  readonly payloads: readonly (ParsedPayload | null)[];
  readonly primaryKey: string | null;
  /** Fields whose malformed values fail the operation. */
  readonly geoFields: readonly string[];
  /** Bitset of the DocIds in use, shared. */
  readonly allocated: SharedArrayBuffer;
}

export interface ResolvedBatch {
  readonly results: readonly OperationResult[];
  readonly primaryKey: string | null;
  readonly writes: DocumentWrites;
  /** The old segments with their new tombstones. */
  readonly segments: readonly SegmentEntry[];
  readonly taken: Uint32Array;
  /** null = every DocId is freed, apart from those of `writes`. */
  readonly freed: Uint32Array | null;
}

export interface SegmentHalfTask extends IndexState {
  readonly settings: Settings;
  readonly segmentId: string;
  readonly operations: readonly DocumentOperation[];
  readonly writes: DocumentWrites;
}

export interface EditedDocuments {
  readonly error: null;
  /** Documents that the function ran on. */
  readonly documentCount: number;
  /** The old segments with their new tombstones. */
  readonly segments: readonly SegmentEntry[];
  readonly newSegments: readonly SegmentEntry[];
  readonly written: Uint32Array;
  readonly deleted: Uint32Array;
}

export interface IndexingTasks {
  /** DocIds in use, as the words of a bitset. */
  readAllocated: [IndexState, Uint32Array];
  parse: [
    {
      readonly operation: DocumentOperation;
      readonly primaryKey: string | null;
      readonly geoFields: readonly string[];
    },
    ParsedPayload,
  ];
  resolve: [ResolveTask, ResolvedBatch];
  write: [
    IndexState &
      NewSegmentsOptions & { readonly operations: readonly DocumentOperation[]; readonly writes: DocumentWrites },
    readonly SegmentEntry[],
  ];
  /** The first half of a segment of all documents of `writes` (segment-halves.ts). */
  indexWords: [SegmentHalfTask, SegmentBody];
  /** The second half; the columns are a file already, named like the segment. */
  storeDocuments: [
    SegmentHalfTask,
    { readonly stored: StoredDocumentSections; readonly columns: readonly ColumnsEntry[] },
  ];
  /** The file of a segment of its two halves. */
  joinSegment: [
    {
      readonly directory: string;
      readonly segmentId: string;
      readonly documentCount: number;
      readonly body: SegmentBody;
      readonly stored: StoredDocumentSections;
    },
    SegmentEntry,
  ];
  /** All three steps in one thread. */
  applyDocuments: [
    Omit<ResolveTask, 'payloads'> & NewSegmentsOptions,
    Omit<ResolvedBatch, 'writes'> & { readonly newSegments: readonly SegmentEntry[]; readonly written: Uint32Array },
  ];
  /** An edit function over all stored documents, or those of a filter. With an error nothing was written. */
  editDocuments: [
    IndexState &
      NewSegmentsOptions & {
        readonly edition: DocumentEdition;
        readonly primaryKey: string;
        readonly geoFields: readonly string[];
        /** For all documents together. */
        readonly timeMsMax: number;
      },
    EditedDocuments | { readonly error: WireError },
  ];
  /** One more file of columns for a segment, from its stored documents. */
  addColumns: [
    IndexState & { readonly segmentId: string; readonly patterns: readonly string[]; readonly columnsId: string },
    { readonly error: null; readonly columns: ColumnsEntry } | { readonly error: WireError },
  ];
  /** Indexes one segment's live documents anew. */
  rebuild: [IndexState & NewSegmentsOptions & { readonly segmentId: string }, readonly SegmentEntry[]];
  /** One segment of the live documents of several; null when there is none. */
  merge: [
    IndexState & {
      readonly segmentIds: readonly string[];
      readonly outputId: string;
      readonly columnPatterns: readonly string[];
    },
    {
      readonly output: SegmentEntry | null /** words of a bitset that holds every DocId of the inputs */;
      readonly docIdWordCount: number;
    },
  ];
}

export type IndexingTaskName = keyof IndexingTasks;
export type IndexingTask<Name extends IndexingTaskName> = IndexingTasks[Name][0];
export type IndexingResult<Name extends IndexingTaskName> = IndexingTasks[Name][1];
