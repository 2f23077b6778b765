/** The documents that a batch writes, as plain columns that are cheap to send to threads. */
import type { PayloadSource } from '../payload/open-payloads.ts';
import type { GeneratedVectors } from './embedding-request.ts';

export interface DocumentWrites {
  /** Ascending. */
  readonly docIds: Uint32Array;
  /** The ids' text. */
  readonly ids: readonly string[];
  /** Number of the live segment with the stored copy to merge into, or −1. */
  readonly bases: Int32Array;
  /** Versions of document `i` are `[versionEnds[i - 1] ?? 0, versionEnds[i])`. */
  readonly versionEnds: Uint32Array;
  /** Number of leading versions that later ones replace: only their `_vectors` entries count. */
  readonly replacedCounts: Uint32Array;
  /** Triples: number of a payload, start and end of the document in it. */
  readonly versions: Uint32Array;
}

/** All inputs of the documents that a batch writes, except stored copies. */
export interface ResolvedDocuments {
  readonly writes: DocumentWrites;
  /** By number; null where no version is in it. */
  readonly payloads: readonly (PayloadSource | null)[];
  /** Vectors made for some of the documents, one item per embedder. */
  readonly generated: readonly GeneratedVectors[];
}

/** Bytes of all versions: a measure of the work. */
export function versionBytes({ versions }: DocumentWrites): number {
  let bytes = 0;
  for (let i = 0; i < versions.length; i += 3)
    bytes += (versions[i + 2] as number) - (versions[i + 1] as number);
  return bytes;
}

interface PartSizes {
  /** Parts that can be processed concurrently. */
  readonly partsWanted: number;
  /** Fewer parts when they would be smaller than this … */
  readonly bytesMin: number;
  /** … and more when they would be larger than this … */
  readonly bytesMax: number;
  /** … or of more documents. */
  readonly documentsMax: number;
}

/**
 * Splits into parts of about equal bytes, each with the payloads that it needs; called before
 * vectors are made.
 */
export function splitDocuments(
  { writes, payloads }: ResolvedDocuments,
  sizes: PartSizes,
): ResolvedDocuments[] {
  return splitWrites(writes, sizes).map((part) => {
    const needed = new Set<number>();
    for (let i = 0; i < part.versions.length; i += 3) needed.add(part.versions[i] as number);
    const own = payloads.map((payload, number) => (needed.has(number) ? payload : null));
    return { writes: part, payloads: own, generated: [] };
  });
}

export function splitWrites(
  writes: DocumentWrites,
  { partsWanted, bytesMin, bytesMax, documentsMax }: PartSizes,
): DocumentWrites[] {
  const total = versionBytes(writes);
  const worthwhile = Math.max(1, Math.min(partsWanted, Math.floor(total / bytesMin)));
  const partCount = Math.max(worthwhile, Math.ceil(total / bytesMax));
  const parts: DocumentWrites[] = [];
  let start = 0;
  let bytes = 0;
  let version = 0;
  for (let i = 0; i < writes.docIds.length; i++) {
    for (; version < (writes.versionEnds[i] as number); version++) {
      bytes +=
        (writes.versions[version * 3 + 2] as number) - (writes.versions[version * 3 + 1] as number);
    }
    const hasShare =
      parts.length < partCount - 1 && bytes >= (total / partCount) * (parts.length + 1);
    if (hasShare || i + 1 - start >= documentsMax) {
      parts.push(sliceWrites(writes, start, i + 1));
      start = i + 1;
    }
  }
  if (start < writes.docIds.length) parts.push(sliceWrites(writes, start, writes.docIds.length));
  return parts;
}

/** Every document is a single complete version, so its size is known before it is read. */
export const isPlain = ({ docIds, bases, versions }: DocumentWrites): boolean =>
  versions.length === docIds.length * 3 && bases.every((base) => base < 0);

function sliceWrites(writes: DocumentWrites, start: number, end: number): DocumentWrites {
  const firstVersion = start === 0 ? 0 : (writes.versionEnds[start - 1] as number);
  return {
    docIds: writes.docIds.slice(start, end),
    ids: writes.ids.slice(start, end),
    bases: writes.bases.slice(start, end),
    versionEnds: writes.versionEnds
      .slice(start, end)
      .map((versionEnd) => versionEnd - firstVersion),
    replacedCounts: writes.replacedCounts.slice(start, end),
    versions: writes.versions.slice(firstVersion * 3, (writes.versionEnds[end - 1] as number) * 3),
  };
}
