/**
 * The published state of one index: everything a reader needs to open it. Stored in RocksDB as the commit record,
 * sent to every front on each commit, handed to query threads as bytes in a SharedArrayBuffer.
 */
import type { Settings } from './settings.ts';

/** A file of columns that belongs to a segment. */
export interface ColumnsEntry {
  /** File name without extension, unique for ever in the index's folder; `.col`. */
  readonly id: string;
  /** Attribute patterns whose fields have their columns in this file, and not in another of the segment. */
  readonly patterns: readonly string[];
  readonly bytes: number;
}

export const segmentFileName = (id: string): string => `${id}.seg`;
export const columnsFileName = (id: string): string => `${id}.col`;

export interface SegmentEntry {
  /** File name without extension, unique for ever in the index's folder. */
  readonly id: string;
  /** Documents in the file, dead ones included. */
  readonly documentCount: number;
  readonly deadCount: number;
  readonly bytes: number;
  /** Dead DocIds: base64 of `encodeDocIds` (engine/sets), or null when all are alive. */
  readonly tombstones: string | null;
  /** Absent = none. */
  readonly columns?: readonly ColumnsEntry[];
}

export interface IndexManifest {
  readonly uid: string;
  /** Names the folder `indexes/<id>`; survives renames and swaps. */
  readonly id: number;
  readonly generation: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly primaryKey: string | null;
  readonly settings: Settings;
  readonly segments: readonly SegmentEntry[];
}

/** Bytes of the segment's own file and of its columns. */
export const fileBytesOf = ({ bytes, columns = [] }: SegmentEntry): number =>
  columns.reduce((sum, file) => sum + file.bytes, bytes);

/** Names of all files of the segments. */
export const fileNamesOf = (segments: readonly SegmentEntry[]): string[] =>
  segments.flatMap(({ id, columns = [] }) => [
    segmentFileName(id),
    ...columns.map((entry) => columnsFileName(entry.id)),
  ]);

const utf8 = new TextEncoder();

export const encodeManifest = (manifest: IndexManifest): Uint8Array => utf8.encode(JSON.stringify(manifest));

/** `bytes` may be a view of a SharedArrayBuffer. */
export const decodeManifest = (bytes: Uint8Array): IndexManifest =>
  JSON.parse(new TextDecoder().decode(bytes.slice())) as IndexManifest;
