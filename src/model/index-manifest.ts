/**
 * The published state of one index: everything a reader needs to open it. Stored in RocksDB as the
 * commit record, sent to every front on each commit, handed to query threads as bytes in a
 * SharedArrayBuffer.
 */
import type { Arrivals } from './arrivals.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';

/** One file of a segment. */
export interface SegmentFile<Covers = unknown> {
  /** Which component it holds: a name of the table in `segments/components.ts`. */
  readonly component: string;
  /** With its extension; unique for ever in the index's folder. */
  readonly name: string;
  readonly bytes: number;
  /** What of the documents it holds, in the component's own terms. */
  readonly covers: Covers;
}

export interface SegmentEntry {
  /** Unique for ever in the index's folder. */
  readonly id: string;
  /** Documents in its files, dead ones included. */
  readonly documentCount: number;
  readonly deadCount: number;
  /** Dead DocIds: base64 of `encodeDocIds` (engine/sets), or null when all are alive. */
  readonly tombstones: string | null;
  /** One of the component `documents`, any number of the others. */
  readonly files: readonly SegmentFile[];
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
  readonly arrivals: Arrivals;
  /** Paths with columns in segments that went away with their last document. */
  readonly metPaths: readonly string[];
}

/** Bytes of the segments' files by component. */
export function bytesByComponent(segments: readonly SegmentEntry[]): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  for (const file of segments.flatMap(({ files }) => files))
    bytes.set(file.component, (bytes.get(file.component) ?? 0) + file.bytes);
  return bytes;
}

/** Documents that exist. */
export const liveDocumentCount = ({ segments }: Pick<IndexManifest, 'segments'>): number =>
  segments.reduce((sum, { documentCount, deadCount }) => sum + documentCount - deadCount, 0);

/** Bytes of all files of the segment. */
export const fileBytesOf = ({ files }: SegmentEntry): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Names of all files of the segments. */
export const fileNamesOf = (segments: readonly SegmentEntry[]): string[] =>
  segments.flatMap(({ files }) => files.map(({ name }) => name));

const utf8 = new TextEncoder();

export const encodeManifest = (manifest: IndexManifest): Uint8Array =>
  utf8.encode(JSON.stringify(manifest));

/**
 * What the manifest was written without has its default. `bytes` may be a view of a
 * SharedArrayBuffer.
 */
export function decodeManifest(bytes: Uint8Array): IndexManifest {
  const manifest = JSON.parse(new TextDecoder().decode(bytes.slice())) as IndexManifest;
  return {
    ...manifest,
    arrivals: manifest.arrivals ?? [],
    metPaths: manifest.metPaths ?? [],
    settings: { ...DEFAULT_SETTINGS, ...manifest.settings },
  };
}
