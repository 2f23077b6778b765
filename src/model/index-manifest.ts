/**
 * The published state of one index: everything that a reader needs to open it. Stored in RocksDB as
 * the commit record, sent to every front on each commit, passed to query threads as bytes in a
 * SharedArrayBuffer.
 */
import type { BatchEndDocIds } from './batch-ends.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';

export interface SegmentFile<Covers = unknown> {
  /** Name of its component in the table of `segments/components.ts`. */
  readonly component: string;
  /** With its extension; never reused in the index's folder. */
  readonly name: string;
  readonly bytes: number;
  /** The part of the documents that it covers, in the component's own form. */
  readonly covers: Covers;
}

export interface SegmentEntry {
  /** Never reused in the index's folder. */
  readonly id: string;
  /** Documents in its files, including deleted ones. */
  readonly documentCount: number;
  readonly deadCount: number;
  /** Deleted DocIds: base64 of `encodeDocIds` (engine/sets), or null if there are none. */
  readonly tombstones: string | null;
  /** Exactly one of the component `documents`, any number of other components. */
  readonly files: readonly SegmentFile[];
}

export interface IndexManifest {
  readonly uid: string;
  /** Names the folder `indexes/<id>`; stays the same through renames and swaps. */
  readonly id: number;
  readonly generation: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly primaryKey: string | null;
  readonly settings: Settings;
  readonly segments: readonly SegmentEntry[];
  readonly batchEndDocIds: BatchEndDocIds;
  /** Paths with columns in segments that were removed with their last document. */
  readonly seenFieldPaths: readonly string[];
  /** Names of the indexes that it is a branch of, nearest first; absent = it is no branch. */
  readonly branchOf?: readonly string[];
}

/** The content of an index after its creation, and after the deletion of all documents at once. */
export const NO_CONTENT = {
  segments: [],
  batchEndDocIds: [],
  seenFieldPaths: [],
} satisfies Partial<IndexManifest>;

export function bytesByComponent(segments: readonly SegmentEntry[]): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  for (const file of segments.flatMap(({ files }) => files))
    bytes.set(file.component, (bytes.get(file.component) ?? 0) + file.bytes);
  return bytes;
}

/** Names beyond this number are forgotten. */
const BRANCH_NAMES_MAX = 100;

/** Names whose search rules hold for the index: its own, and those of the indexes it branches from. */
export const ruleNamesOf = ({ uid, branchOf = [] }: IndexManifest): readonly string[] =>
  branchOf.length === 0 ? [uid] : [...new Set([uid, ...branchOf])].slice(0, BRANCH_NAMES_MAX);

export const liveDocumentCount = ({ segments }: Pick<IndexManifest, 'segments'>): number =>
  segments.reduce((sum, { documentCount, deadCount }) => sum + documentCount - deadCount, 0);

export const fileBytesOf = ({ files }: SegmentEntry): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

export const fileNamesOf = (segments: readonly SegmentEntry[]): string[] =>
  segments.flatMap(({ files }) => files.map(({ name }) => name));

/** Every file of a state, with its length. */
export const segmentFilesOf = ({ id: indexId, segments }: IndexManifest) =>
  segments.flatMap(({ files }) => files.map(({ name, bytes }) => ({ indexId, name, bytes })));

const utf8 = new TextEncoder();

export const encodeManifest = (manifest: IndexManifest): Uint8Array =>
  utf8.encode(JSON.stringify(manifest));

/** Written by this version or an earlier one, which had other names for two members. */
export interface StoredManifest
  extends Omit<IndexManifest, 'batchEndDocIds' | 'seenFieldPaths'>,
    Partial<Pick<IndexManifest, 'batchEndDocIds' | 'seenFieldPaths'>> {
  readonly arrivals?: BatchEndDocIds;
  readonly metPaths?: readonly string[];
}

/** Members that older manifests lack get their defaults. */
export const withDefaults = ({
  arrivals: batchEndDocIds = [],
  metPaths: seenFieldPaths = [],
  ...manifest
}: StoredManifest): IndexManifest => ({
  batchEndDocIds,
  seenFieldPaths,
  ...manifest,
  settings: { ...DEFAULT_SETTINGS, ...manifest.settings },
});

/** `encodeManifest` as text. */
export const manifestText = (manifest: IndexManifest): string =>
  new TextDecoder().decode(encodeManifest(manifest));

/** @param bytes of `encodeManifest`, possibly a view of a SharedArrayBuffer */
export const decodeManifest = (bytes: Uint8Array): IndexManifest =>
  withDefaults(JSON.parse(new TextDecoder().decode(bytes.slice())) as StoredManifest);

/** Paths beyond this number are forgotten. */
const SEEN_FIELD_PATHS_MAX = 1000;

/** @param dropped paths with columns in removed segments */
export function withSeenFieldPaths(
  seen: readonly string[],
  dropped: readonly string[],
): readonly string[] {
  const fresh = dropped.filter((path) => !seen.includes(path));
  return fresh.length === 0 ? seen : [...seen, ...fresh].slice(0, SEEN_FIELD_PATHS_MAX);
}
