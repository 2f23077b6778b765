/** Joins a finished merge with what happened to its inputs while it ran. */
import { andNotInto, countBits, orInto } from '../engine/sets/bitset.ts';
import { decodeDocIds, encodeDocIds } from '../engine/sets/doc-ids.ts';
import type { SegmentEntry } from '../model/index-manifest.ts';

export interface CompletedMerge {
  readonly inputs: string[];
  /** With the tombstones of the last commit before `merge` ended; null: no document was alive, or an input is no longer live. */
  readonly output: SegmentEntry | null;
  /** The inputs as they were when the merge began. */
  readonly inputEntries: readonly SegmentEntry[];
  /** Words of a bitset that holds every DocId of the inputs. */
  readonly docIdWordCount: number;
}

/** False when an input got other columns since the merge began, so that the output's may not be those needed now. */
export function hasSameColumns(merge: CompletedMerge, segments: readonly SegmentEntry[]): boolean {
  const columnsOf = ({ columns = [] }: Partial<SegmentEntry>) => columns.map(({ id }) => id).join();
  return merge.inputEntries.every((before) => {
    const now = segments.find(({ id }) => id === before.id);
    return now === undefined || columnsOf(now) === columnsOf(before);
  });
}

/**
 * The output with the documents dead that died in the inputs since the merge began; null when none is alive, and when an input is
 * no longer live, so that the merge must be thrown away.
 * Call it when nothing else can change the index before the merge is committed.
 * @param segments of the state that the merge is applied to
 */
export function mergedOutput(merge: CompletedMerge, segments: readonly SegmentEntry[]): SegmentEntry | null {
  if (merge.output === null) return null;
  const died = new Uint32Array(merge.docIdWordCount);
  for (const before of merge.inputEntries) {
    const now = segments.find(({ id }) => id === before.id);
    if (now === undefined) return null;
    if (now.tombstones === null || now.tombstones === before.tombstones) continue;
    const newlyDead = decodeDocIds(now.tombstones, merge.docIdWordCount);
    if (before.tombstones !== null) andNotInto(newlyDead, decodeDocIds(before.tombstones, merge.docIdWordCount));
    orInto(died, newlyDead);
  }
  const deadCount = countBits(died);
  if (deadCount === merge.output.documentCount) return null;
  return { ...merge.output, deadCount, tombstones: deadCount === 0 ? null : encodeDocIds(died) };
}
