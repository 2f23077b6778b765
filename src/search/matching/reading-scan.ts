/** Costs of a reading in some documents, by one scan of the words of each. */
import { PLACES_MAX, STEPS_MAX } from '../../engine/segment/forward-scan.ts';
import { derivedTypoMask } from '../query/query-node.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { MARKS, markTerms, SCAN, scanSegment } from './document-scan.ts';
import { nodePhrases, nodeTerms } from './node-terms.ts';
import { OccurrenceClass } from './occurrence-records.ts';
import { admittedClasses } from './position-table.ts';
import { listsAreLess } from './read-terms.ts';
import type { Reading, Step } from './readings.ts';

/** The documents of one segment, and where their costs go. */
type ScanRanks = (ranks: Uint32Array, out: Int32Array, s: number) => void;

/**
 * What the pairs of the reading cost in each of the documents: 0 to `PAIR_COSTS` a pair. null when
 * phrases stand for a step, when a segment has no forward index, or when posting lists are quicker to
 * read than the words.
 * @param pairs bit `n`: the steps `n` and `n + 1` are a pair
 */
export function scanPairCosts(
  snapshot: IndexSnapshot,
  reading: Reading,
  pairs: number,
  docs: Uint32Array,
): Int32Array | null {
  const scan: ScanRanks = (ranks, out) => SCAN.pairCosts(ranks, out);
  return scanReading(snapshot, reading, docs, { pairs, addUse: addPairUse, scan });
}

/**
 * The sum over steps of the least cost of a word's place in each of the documents; null as above.
 * @param costsOf by bucket of positions
 */
export function scanPositionCosts(
  snapshot: IndexSnapshot,
  reading: Reading,
  docs: Uint32Array,
  costsOf: (step: Step) => Uint8Array,
): Int32Array | null {
  const steps = reading.map(costsOf);
  const scan: ScanRanks = (ranks, out) => SCAN.placeCosts(ranks, { steps, byField: false }, out);
  return scanReading(snapshot, reading, docs, { pairs: 0, addUse: addPlaceUse, scan });
}

/** The same by field. @param costOf at most 254; of a step in a field */
export function scanFieldCosts(
  snapshot: IndexSnapshot,
  reading: Reading,
  docs: Uint32Array,
  costOf: (step: Step, field: number) => number,
): Int32Array | null {
  const { segments, everywhere } = snapshot;
  if (segments.some(({ fields }) => fields.length > PLACES_MAX)) return null;
  const scan: ScanRanks = (ranks, out, s) => {
    const { fieldMap } = everywhere[s]!;
    const steps = reading.map((step) =>
      Uint8Array.from(segments[s]!.fields, (_, local) => costOf(step, fieldMap[local]!)),
    );
    SCAN.placeCosts(ranks, { steps, byField: true }, out);
  };
  return scanReading(snapshot, reading, docs, { pairs: 0, addUse: addPlaceUse, scan });
}

/** What a scan looks for. */
interface ReadingScan {
  /** Bit `n`: the steps `n` and `n + 1` are a pair. */
  readonly pairs: number;
  /** Adds a use of a term by step `i` to the bits of its mark. */
  readonly addUse: (reading: Reading, i: number, recordClass: number, mark: number) => void;
  readonly scan: ScanRanks;
}

function scanReading(
  snapshot: IndexSnapshot,
  reading: Reading,
  docs: Uint32Array,
  { pairs, addUse, scan }: ReadingScan,
): Int32Array | null {
  const { segments, everywhere } = snapshot;
  if (reading.length > STEPS_MAX || segments.some(({ forward }) => forward === null)) return null;
  if (everywhere.some(({ outside }) => outside !== 0)) return null;
  const masks = reading.map(({ node, typoMask }) => typoMask & derivedTypoMask(node));
  if (reading.some(({ node }, i) => nodePhrases(node, masks[i]!).length > 0)) return null;
  const terms = reading.map(({ node }, i) => nodeTerms(node, masks[i]!, segments.length));
  if (listsAreLess(snapshot, terms, docs)) return null;
  const out = new Int32Array(docs.length);
  for (let s = 0; s < segments.length; s++) {
    const own = terms.map((ofStep) => ofStep[s]!);
    const isMarked = markTerms(segments[s]!, own, pairs, (i, recordClass, mark) =>
      addUse(reading, i, recordClass, mark),
    );
    if (!isMarked) return null;
    scanSegment(snapshot, s, docs, (ranks, costs) => scan(ranks, costs, s), out);
  }
  return out;
}

/** Adds the pairs that a term of a step's class may be a side of. */
function addPairUse(reading: Reading, i: number, recordClass: number, mark: number): void {
  const { left, right, reversed } = OccurrenceClass;
  const isAdmitted = (side: number): boolean =>
    admittedClasses(reading[i]!, side | reversed)[recordClass] === 1;
  const asLeft = isAdmitted(left) ? (1 << i) & MARKS.all : 0;
  const asRight = i > 0 && isAdmitted(right) ? (1 << (i - 1)) & MARKS.all : 0;
  if (recordClass & left) MARKS.left[mark]! |= asLeft;
  if (recordClass & right) MARKS.right[mark]! |= asRight;
  if ((recordClass & reversed) === 0) return;
  MARKS.reversedLeft[mark]! |= asLeft;
  MARKS.reversedRight[mark]! |= asRight;
}

/** Adds the step to those that a term's place counts for. */
function addPlaceUse(reading: Reading, i: number, recordClass: number, mark: number): void {
  if (admittedClasses(reading[i]!, OccurrenceClass.place)[recordClass] === 1)
    MARKS.left[mark]! |= 1 << i;
}
