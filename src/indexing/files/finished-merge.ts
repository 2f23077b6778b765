/** Applies a finished merge to an index that has changed while the merge ran. */
import { andNotInto, orInto } from '../../engine/sets/bitset.ts';
import { decodeDocIds } from '../../engine/sets/doc-ids.ts';
import { decodeTombstones, encodeTombstones } from '../../engine/sets/tombstones.ts';
import { fileNamesOf, type SegmentEntry } from '../../model/index-manifest.ts';

export interface FinishedMerge {
  /** Prefix of its file names. */
  readonly changeId: string;
  readonly inputs: readonly MergedSegment[];
  /** Null: no document was alive. */
  readonly output: SegmentEntry | null;
  /** Words of a bitset that holds every DocId of the inputs. */
  readonly docIdWordCount: number;
}

interface MergedSegment {
  /** As it was when the merge began. */
  readonly entry: SegmentEntry;
  /** The documents that went to the output: `encodeDocIds`. */
  readonly living: string;
}

/**
 * Segments of the index with the output instead of its inputs. Documents that died in the inputs
 * since the merge began are marked dead in the output; an output without a live document is left
 * out. Null when the merge came too late: no input is left, or an input got other files, so the
 * output's files may not be the required ones.
 * @param segments of the state that the merge is applied to; only the caller may change it
 * meanwhile
 */
export function segmentsAfterMerge(
  merge: FinishedMerge,
  segments: readonly SegmentEntry[],
): SegmentEntry[] | null {
  const known = new Map(segments.map((segment) => [segment.id, segment]));
  const present = merge.inputs.filter(({ entry }) => known.has(entry.id));
  const [first] = present;
  if (first === undefined) return null;
  if (!present.every(({ entry }) => hasSameFiles(entry, known.get(entry.id)))) return null;
  const output = withDeaths(merge, known);
  const merged = new Set(present.map(({ entry }) => entry.id));
  return segments.flatMap((segment) => {
    if (!merged.has(segment.id)) return [segment];
    return segment.id === first.entry.id && output !== null ? [output] : [];
  });
}

const hasSameFiles = (before: SegmentEntry, now: SegmentEntry | undefined): boolean =>
  now !== undefined && fileNamesOf([before]).join() === fileNamesOf([now]).join();

/** The output with its dead documents marked; null when none is alive. */
function withDeaths(
  { inputs, output, docIdWordCount: words }: FinishedMerge,
  known: ReadonlyMap<string, SegmentEntry>,
): SegmentEntry | null {
  if (output === null) return null;
  const died = new Uint32Array(words);
  for (const { entry, living } of inputs) {
    const now = known.get(entry.id);
    // A segment is removed when its last document has died.
    if (now === undefined) orInto(died, decodeDocIds(living, words));
    else if (now.tombstones !== entry.tombstones) orInto(died, diedBetween(entry, now, words));
  }
  const tombstones = encodeTombstones(died);
  return tombstones.deadCount === output.documentCount ? null : { ...output, ...tombstones };
}

function diedBetween(before: SegmentEntry, now: SegmentEntry, words: number): Uint32Array {
  const dead = decodeTombstones(now.tombstones, words) ?? new Uint32Array(words);
  const alreadyDead = decodeTombstones(before.tombstones, words);
  return alreadyDead === null ? dead : andNotInto(dead, alreadyDead);
}
