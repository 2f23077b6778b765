/**
 * What a segment component says of itself: start here to add one. A component is a kind of file
 * that segments have; everything that reads, writes, merges, checks or removes files of segments
 * does so by these members and knows no component by name, but for `documents`, which every segment
 * has exactly once.
 */
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { SegmentWithDead } from '../../engine/segment/live-documents.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
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

/** Makes one part of a file from documents. Single use. */
export interface PartBuilder extends DocumentSink {
  /** Bytes held now: what it takes of its thread's share of the memory for indexing. */
  readonly memoryBytes: number;
  /** Plain data, which may cross threads. */
  finish(): unknown;
}

/** A reader of one file, from bytes that may be mapped. */
export interface FileReader {
  /** Reads every byte; throws `CorruptionError`. */
  verify(): void;
}

/** A segment whose living documents go to a new one. */
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
  /** That of the settings; made when first asked for. */
  readonly analyzer: () => Analyzer;
}

export interface MergeInput<Covers, Reader> {
  readonly segmentId: string;
  readonly covers: Covers;
  readonly settings: Settings;
  readonly sources: readonly RewrittenSegment<Covers, Reader>[];
  /** The new segment's documents; null for the component that holds them. */
  readonly documents: SegmentReader | null;
}

/**
 * Throws an `ApiError` when a document is not of the form that the component needs.
 * @param documentId for messages
 */
export type DocumentCheck = (tape: JsonTape, documentId: () => string) => void;

/** Which files of a segment stay, and what new ones must cover. */
export interface FilePlan<Covers> {
  readonly kept: readonly SegmentFile<Covers>[];
  /** One item a file. */
  readonly build: readonly Covers[];
}

export interface ComponentPart<Covers> {
  /**
   * Large segments are built in several threads side by side, each of which takes the parts of one
   * lane.
   */
  readonly lane: Lane;
  builder(input: BuildInput<Covers>): PartBuilder;
}

export const LANES = [0, 1] as const;
export type Lane = (typeof LANES)[number];

/** Members are methods, so that components of any `Covers` and `Reader` fit into one table. */
export interface SegmentComponent<Covers = unknown, Reader extends FileReader = FileReader> {
  /** Of its file names: a dot and three letters. */
  readonly extension: `.${string}`;
  /** What a coverage is called in messages. */
  describe(covers: Covers): string;
  /** What a segment with these files needs under the settings; a new segment has none. */
  plan(files: readonly SegmentFile<Covers>[], settings: Settings): FilePlan<Covers>;
  /** What documents that arrive must be like under the settings; null = anything. */
  check(settings: Settings): DocumentCheck | null;
  /** What a further file for a segment is made of: its documents, or the files that it has. */
  readonly addedFrom: 'documents' | 'files';
  readonly parts: readonly ComponentPart<Covers>[];
  /** The bytes of a file, of what its parts yielded. */
  frame(parts: readonly unknown[]): Uint8Array[];
  /** The bytes of a file of living documents of other segments. */
  merge(input: MergeInput<Covers, Reader>): Uint8Array[];
  /** @param name of the file, for messages */
  open(name: string, bytes: Uint8Array): Reader;
}
