/** Messages from an index writer to the indexing threads: name → [task, result]. Plain data. */

import type { SegmentEntry, SegmentFile } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import type { Lane } from '../segments/contract/component.ts';
import type { DocumentOperation, Upsert } from './batch/document-operations.ts';
import type { ResolvedDocuments } from './batch/document-writes.ts';
import type { EditionInput, EditionPlan } from './batch/edit-documents.ts';
import type { EmbeddingRequest } from './batch/embedding-request.ts';
import type { BatchPlan } from './batch/resolve-batch.ts';
import type { RemadeRange, StoredRange } from './batch/stored-vectors.ts';
import type { DocumentLines } from './files/document-lines.ts';
import type { AssemblerOptions } from './files/segment-assembler.ts';
import type { UnjoinedFile } from './files/segment-files.ts';
import type { ParsedPayload } from './payload/parse-payload.ts';

export interface PartOfBatch {
  /** Memory of its `BatchProgress`; null = the task is not counted. */
  readonly progress: SharedArrayBuffer | null;
}

export interface IndexState {
  /** The folder of the index: an absolute path of this machine. */
  readonly location: string;
  readonly segments: readonly SegmentEntry[];
}

export type NewSegmentsOptions = Pick<
  AssemblerOptions,
  'settings' | 'idPrefix' | 'rawBytesMax' | 'memoryBytesMax'
>;

interface ResolveTask extends IndexState {
  readonly settings: Settings;
  readonly operations: readonly DocumentOperation[];
  /** One per operation; null for an operation without a payload. */
  readonly parsed: readonly (ParsedPayload | null)[];
  readonly primaryKey: string | null;
}

interface LeftSegments {
  /** With their new tombstones. */
  readonly segments: readonly SegmentEntry[];
  /** Paths with columns in the removed segments. */
  readonly droppedPaths: readonly string[];
}

export interface ResolvedBatch extends LeftSegments, Omit<BatchPlan, 'writes' | 'dead'> {
  readonly documents: ResolvedDocuments;
}

type EditRound = Pick<
  EditionInput,
  'edit' | 'primaryKey' | 'fromDocId' | 'bytesMax' | 'fieldPaths'
>;

interface EditTask extends PartOfBatch, IndexState, EditRound {
  readonly settings: Settings;
  readonly timeMsMax: number;
}

export interface EditedRound extends Omit<EditionPlan, 'dead'>, LeftSegments {
  readonly elapsedMs: number;
}

/** Result of a batch; its segments' files are written and synced. */
export type BatchOutcome = Omit<ResolvedBatch, 'documents'> & {
  readonly newSegments: readonly SegmentEntry[];
};

interface IndexingTasks {
  parse: [
    PartOfBatch & {
      readonly operation: Upsert;
      readonly primaryKey: string | null;
      readonly settings: Settings;
    },
    ParsedPayload,
  ];
  resolve: [ResolveTask, ResolvedBatch];
  edit: [EditTask, EditedRound];
  /** Builds segments of the documents, as many as the limits require. */
  build: [
    PartOfBatch & IndexState & NewSegmentsOptions & { readonly documents: ResolvedDocuments },
    readonly SegmentEntry[],
  ];
  /** Renders the inputs that embedders must embed. */
  render: [
    IndexState & { readonly settings: Settings; readonly documents: ResolvedDocuments },
    readonly EmbeddingRequest[],
  ];
  /** The same for a range of the documents of a segment, under other settings. */
  renderStored: [
    IndexState & StoredRange & { readonly segmentId: string; readonly documentsMax: number },
    {
      readonly requests: readonly EmbeddingRequest[];
      /** Where the next range begins, null = there is none. */
      readonly nextDocId: number | null;
    },
  ];
  /** Files of the vectors of such a range. */
  buildStored: [
    IndexState & RemadeRange & { readonly segmentId: string; readonly fileId: string },
    readonly SegmentFile[],
  ];
  /** Contract: `withNormalizedWords`. */
  normalizeWords: [{ readonly next: Settings; readonly stored: Settings }, Settings];
  /** Merges the vector files of several ranges into one. */
  joinVectors: [
    {
      readonly location: string;
      readonly files: readonly SegmentFile[];
      readonly name: string;
    },
    SegmentFile,
  ];
  buildLane: [
    PartOfBatch &
      IndexState & {
        readonly settings: Settings;
        readonly segmentId: string;
        readonly lane: Lane;
        readonly documents: ResolvedDocuments;
      },
    { readonly written: readonly SegmentFile[]; readonly unjoined: readonly UnjoinedFile[] },
  ];
  /** Reads every byte of a file; returns its damage, or null. */
  check: [{ readonly location: string; readonly file: SegmentFile }, string | null];
  /** Stored documents as lines, from one DocId on (document-lines.ts). */
  readOut: [
    IndexState & {
      readonly settings: Settings;
      /** JSON form of a filter; null = all documents. */
      readonly filter: unknown;
      readonly fromDocId: number;
      readonly bytesMax: number;
    },
    DocumentLines,
  ];
  joinFiles: [
    { readonly location: string; readonly files: readonly UnjoinedFile[] },
    readonly SegmentFile[],
  ];
  /** Parse, resolve and build in one thread. */
  applyDocuments: [PartOfBatch & Omit<ResolveTask, 'parsed'> & NewSegmentsOptions, BatchOutcome];
  refit: [
    PartOfBatch &
      IndexState &
      NewSegmentsOptions & {
        readonly segmentId: string;
        /** Files whose vectors are written back into the documents. */
        readonly writtenBack: readonly SegmentFile[];
      },
    readonly SegmentEntry[],
  ];
  /** One segment of the live documents of several; null when there is none. */
  merge: [
    IndexState & {
      readonly segmentIds: readonly string[];
      readonly outputId: string;
      readonly settings: Settings;
    },
    {
      readonly output: SegmentEntry | null;
      /** By segment: `encodeDocIds` of its living documents. */
      readonly living: readonly string[];
      /** Words of a bitset that holds every DocId of the segments. */
      readonly docIdWordCount: number;
    },
  ];
}

export type IndexingTaskName = keyof IndexingTasks;
export type IndexingTask<Name extends IndexingTaskName> = IndexingTasks[Name][0];
export type IndexingResult<Name extends IndexingTaskName> = IndexingTasks[Name][1];
