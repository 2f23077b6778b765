/**
 * Sums of fingerprints over documents of segments, in memory and in a file of each index, which the
 * next start reads. Segments never change, so a sum is valid as long as its segment exists.
 */
import { MemoMap } from '../../core/memo-map.ts';
import { type FingerprintParts, idDigest } from '../../model/document-fingerprint.ts';
import type { IndexManifest, SegmentEntry } from '../../model/index-manifest.ts';
import type { Logger } from '../../observability/logger.ts';

/** Raised when fingerprints or the form of a file change. */
const VERSION = 2;
/** Indexes in memory, with about 24 KB for each sum. */
const INDEXES_MAX = 64;

/** Which documents of a segment. */
export type Summed = 'all' | 'dead';

/** Sum over the documents of a segment with ranks below `end`. */
interface SegmentSum {
  readonly end: number;
  readonly parts: FingerprintParts;
}

interface StoredSums {
  readonly version: number;
  readonly sums: Readonly<Record<string, SegmentSum>>;
}

interface SumFiles {
  /** null if there is no file. */
  read(indexId: number): Promise<unknown>;
  /** @param indexIds of all indexes: files of others are removed */
  write(indexId: number, content: unknown, indexIds: readonly number[]): Promise<void>;
}

const NO_FILES: SumFiles = { read: async () => null, write: async () => undefined };

/** Dead documents are identified by the tombstones, whose number alone does not. */
const nameOf = ({ id, tombstones }: SegmentEntry, summed: Summed): string =>
  summed === 'all' ? id : `${id} ${idDigest(tombstones ?? '')}`;

export class SegmentSums {
  readonly #byName: Map<string, SegmentSum>;
  isChanged = false;

  constructor(sums: StoredSums['sums']) {
    this.#byName = new Map(Object.entries(sums));
  }

  get(segment: SegmentEntry, summed: Summed): SegmentSum | undefined {
    return this.#byName.get(nameOf(segment, summed));
  }

  /** Does not replace a sum over more documents, by another request. */
  set(segment: SegmentEntry, summed: Summed, sum: SegmentSum): void {
    if ((this.get(segment, summed)?.end ?? 0) >= sum.end) return;
    this.#byName.set(nameOf(segment, summed), sum);
    this.isChanged = true;
  }

  /** Removes the sums of other segments and of other tombstones. */
  stored(segments: readonly SegmentEntry[]): StoredSums {
    const names = new Set(segments.flatMap((each) => [nameOf(each, 'all'), nameOf(each, 'dead')]));
    for (const name of this.#byName.keys()) if (!names.has(name)) this.#byName.delete(name);
    this.isChanged = false;
    return { version: VERSION, sums: Object.fromEntries(this.#byName) };
  }
}

export class KeptFingerprints {
  readonly #files: SumFiles;
  readonly #log: Pick<Logger, 'warn'> | null;
  readonly #byIndex = new MemoMap<number, Promise<SegmentSums>>(INDEXES_MAX);

  /** Without files, sums are in memory only. */
  constructor(files = NO_FILES, log: Pick<Logger, 'warn'> | null = null) {
    this.#files = files;
    this.#log = log;
  }

  of(indexId: number): Promise<SegmentSums> {
    return this.#byIndex.getOrCompute(indexId, async () => {
      const stored = (await this.#files.read(indexId)) as StoredSums | null;
      return new SegmentSums(stored?.version === VERSION ? stored.sums : {});
    });
  }

  /** Writes changed sums for the next start. Does not fail: the sums stay in memory. */
  async save(
    sums: SegmentSums,
    { id, segments }: IndexManifest,
    indexIds: () => readonly number[],
  ): Promise<void> {
    if (!sums.isChanged) return;
    try {
      await this.#files.write(id, sums.stored(segments), indexIds());
    } catch (error) {
      sums.isChanged = true;
      this.#log?.warn(`sums of fingerprints are not kept for the next start: ${String(error)}`);
    }
  }
}
