/**
 * How near neighbouring steps of a reading stand to each other in some documents, by one scan of the
 * words of each.
 */
import { NeighbourScan, newWantedPairs } from '../../engine/segment/neighbour-scan.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import { WantedTerms } from '../../engine/segment/wanted-terms.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { derivedTypoMask } from '../query/query-node.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { type NodeTerms, nodePhrases, nodeTerms, type TermsOfClass } from './node-terms.ts';
import { CLASS_COUNT, OccurrenceClass } from './occurrence-records.ts';
import { admittedClasses } from './position-table.ts';
import { listsAreLess } from './read-terms.ts';
import type { Reading } from './readings.ts';

/** Largest number of steps whose pairs fit into the bits of a number. */
const STEPS_MAX = 31;

const WANTED = new WantedTerms();
const PAIRS = newWantedPairs();
const SCAN = new NeighbourScan();

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
  const { segments } = snapshot;
  if (reading.length > STEPS_MAX || segments.some(({ forward }) => forward === null)) return null;
  if (segments.some((_, s) => snapshot.everywhere[s]!.outside !== 0)) return null;
  const masks = reading.map(({ node, typoMask }) => typoMask & derivedTypoMask(node));
  if (reading.some(({ node }, i) => nodePhrases(node, masks[i]!).length > 0)) return null;
  const terms = reading.map(({ node }, i) => nodeTerms(node, masks[i]!, segments.length));
  if (listsAreLess(snapshot, terms, docs)) return null;
  const out = new Int32Array(docs.length);
  PAIRS.all = pairs;
  for (let s = 0; s < segments.length; s++) {
    if (!markTerms(segments[s]!, s, reading, terms)) return null;
    scanSegment(snapshot, s, docs, out);
  }
  return out;
}

/** false when there are too many combinations of steps. */
function markTerms(
  segment: SegmentReader,
  s: number,
  reading: Reading,
  terms: readonly NodeTerms[],
): boolean {
  WANTED.clear();
  terms.forEach((ofStep, i) => {
    for (const { lo, hi, recordClass } of ofStep[s]!)
      WANTED.add(segment.forward!, lo, hi, i * CLASS_COUNT + recordClass);
  });
  if (!WANTED.finish()) return false;
  const rarer = rarerSteps(
    segment,
    terms.map((ofStep) => ofStep[s]!),
  );
  WANTED.uses.forEach((uses, mark) => {
    PAIRS.left[mark] = PAIRS.right[mark] = 0;
    PAIRS.reversedLeft[mark] = PAIRS.reversedRight[mark] = 0;
    const steps = uses.map((use) => Math.floor(use / CLASS_COUNT));
    PAIRS.rarer[mark] = steps.some((i) => rarer.has(i)) ? 1 : 0;
    uses.forEach((use, u) => {
      addUse(reading, steps[u]!, use % CLASS_COUNT, mark);
    });
  });
  return SCAN.begin(segment.forward!, WANTED, PAIRS);
}

/** Of each pair the step with fewer occurrences. */
function rarerSteps(
  segment: SegmentReader,
  terms: readonly (readonly TermsOfClass[])[],
): Set<number> {
  const bytes = terms.map((ofStep) =>
    ofStep.reduce((sum, { lo, hi }) => sum + segment.postingBytes(lo, hi), 0),
  );
  const rarer = new Set<number>();
  for (let i = 0; i + 1 < bytes.length; i++)
    if ((PAIRS.all >>> i) & 1) rarer.add(bytes[i]! <= bytes[i + 1]! ? i : i + 1);
  return rarer;
}

/** Adds the pairs that a term of a step's class may be a side of to those of its mark. */
function addUse(reading: Reading, i: number, recordClass: number, mark: number): void {
  const { left, right, reversed } = OccurrenceClass;
  const isAdmitted = (side: number): boolean =>
    admittedClasses(reading[i]!, side | reversed)[recordClass] === 1;
  const asLeft = isAdmitted(left) ? (1 << i) & PAIRS.all : 0;
  const asRight = i > 0 && isAdmitted(right) ? (1 << (i - 1)) & PAIRS.all : 0;
  if (recordClass & left) PAIRS.left[mark]! |= asLeft;
  if (recordClass & right) PAIRS.right[mark]! |= asRight;
  if ((recordClass & reversed) === 0) return;
  PAIRS.reversedLeft[mark]! |= asLeft;
  PAIRS.reversedRight[mark]! |= asRight;
}

function scanSegment(
  { segments, dead: allDead }: IndexSnapshot,
  s: number,
  docs: Uint32Array,
  out: Int32Array,
): void {
  const { ranks } = segments[s]!;
  const dead = allDead[s]!;
  const own = TYPED_ARRAY_POOL.numbers(docs.length);
  const places = TYPED_ARRAY_POOL.numbers(docs.length);
  let count = 0;
  for (let i = 0; i < docs.length; i++) {
    const rank = ranks.rankOf(docs[i]!);
    if (rank < 0 || (dead !== null && hasBit(dead, docs[i]!))) continue;
    own[count] = rank;
    places[count++] = i;
  }
  const costs = new Int32Array(count);
  SCAN.costs(own.subarray(0, count), costs);
  for (let i = 0; i < count; i++) out[places[i]!] = costs[i]!;
}
