/**
 * Start here to add a segment component: its interface. A component is a kind of file of segments.
 * All code that reads, writes, merges, checks or deletes segment files uses these members and names
 * no component, except `documents`, which every segment has exactly once.
 */
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { SegmentWithDead } from '../../engine/segment/live-documents.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import type { Settings } from '../../model/settings.ts';
import type { DocumentEntries } from './document-entries.ts';

/** Takes documents in ascending DocId order. */
export interface DocumentSink {
  /**
   * @param tape holds the compact document; valid during the call
   * @param entries its vectors; valid during the call
   */
  add(docId: number, id: Uint8Array, tape: JsonTape, entries: DocumentEntries): void;
}

/** Builds one part of a file from documents. Single use. */
export interface PartBuilder extends DocumentSink {
  /** Bytes held now; counts against the thread's share of indexing memory. */
  readonly memoryBytes: number;
  /** Plain data that can be sent between threads. */
  finish(): unknown;
}

/** A reader of one file, from bytes that may be mapped. */
export interface FileReader {
  /** Compares every byte with its checksum; throws `CorruptionError`. */
  verifyChecksums(): void;
  /** The same, and verifies that all parts fit together, which takes thirty times as long. */
  verify(): void;
}

/** A segment whose live documents are copied to a new segment. */
export interface RewrittenSegment<Covers = unknown, Reader = FileReader> extends SegmentWithDead {
  /** Its files of the component. */
  readonly files: readonly OpenedFile<Covers, Reader>[];
}

export interface OpenedFile<Covers = unknown, Reader = FileReader> {
  readonly covers: Covers;
  readonly reader: Reader;
}

export interface BuildInput<Covers> {
  /** Names the segment in messages. */
  readonly segmentId: string;
  readonly covers: Covers;
  readonly settings: Settings;
  /** The analyzer of the settings; created on first use. */
  readonly analyzer: () => Analyzer;
}

export interface MergeInput<Covers, Reader> {
  readonly segmentId: string;
  readonly covers: Covers;
  readonly settings: Settings;
  readonly sources: readonly RewrittenSegment<Covers, Reader>[];
  /** The new segment's documents; null for the component that contains them. */
  readonly documents: SegmentReader | null;
}

/**
 * Throws an `ApiError` if a document is not valid for the component. @param documentId for messages
 */
export type DocumentCheck = (tape: JsonTape, documentId: () => string) => void;

/** The kept files of a segment, and the coverages of new files. */
export interface FilePlan<Covers> {
  readonly kept: readonly SegmentFile<Covers>[];
  /** One coverage per file. */
  readonly build: readonly Covers[];
}

export interface ComponentPart<Covers> {
  /**
   * Large segments are built by several threads in parallel; each thread builds the parts of one
   * lane.
   */
  readonly lane: Lane;
  builder(input: BuildInput<Covers>): PartBuilder;
}

export const LANES = [0, 1] as const;
export type Lane = (typeof LANES)[number];

/**
 * Members are methods, so that components of all `Covers` and `Reader` types fit into one table.
 */
export interface SegmentComponent<Covers = unknown, Reader extends FileReader = FileReader> {
  /** Extension of its file names: a dot and three letters. */
  readonly extension: `.${string}`;
  /** Describes a coverage in messages. */
  describe(covers: Covers): string;
  /** The files that a segment needs under the settings; `files` is empty for a new segment. */
  plan(files: readonly SegmentFile<Covers>[], settings: Settings): FilePlan<Covers>;
  /**
   * Validates documents under the settings; null = every document is valid. @param wereStored they
   * were stored before, here or by the server that wrote a dump: what no setting reads is not checked
   */
  check(settings: Settings, wereStored: boolean): DocumentCheck | null;
  /**
   * Source of a file that is added to a segment: the documents, or the segment's existing files.
   */
  readonly addedFrom: 'documents' | 'files';
  readonly parts: readonly ComponentPart<Covers>[];
  /** Bytes of a file, from the results of its parts. */
  frame(parts: readonly unknown[]): Uint8Array[];
  /** Bytes of a file with the live documents of other segments. */
  merge(input: MergeInput<Covers, Reader>): Uint8Array[];
  /** @param name of the file, for messages */
  open(name: string, bytes: Uint8Array): Reader;
}
