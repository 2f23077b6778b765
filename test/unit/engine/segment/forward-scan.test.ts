/**
 * The kernel finds the same pairs of neighbouring words as a comparison of all occurrences. Method:
 * random documents with gaps, several fields, and terms without a code, in random choices of terms.
 */
import { describe, expect, it } from 'vitest';
import { PAIR_COSTS } from '../../../../src/engine/postings/pair-kernel.ts';
import {
  CODES_MAX,
  FIELD,
  ForwardIndex,
  GAP_CODE_MAX,
  LONG_GAP,
  RARE_TERM,
} from '../../../../src/engine/segment/forward-index.ts';
import {
  type ForwardScan,
  ForwardScans,
  PLACES_MAX,
  type PlaceCosts,
  SCANS_MAX,
} from '../../../../src/engine/segment/forward-scan.ts';
import { amount } from '../../../support/run-length.ts';

const SCANS = new ForwardScans();

/** Terms with an even ordinal have a code; the last ones look like special codes in two halves. */
const SPECIAL = [0xfffd, 0xfffe, 0xffff, 0x1fffd, 0x1ffff];
const ORDINALS = [...Array.from({ length: 44 }, (_, i) => i), ...SPECIAL];
const CODED = ORDINALS.filter((ordinal) => ordinal % 2 === 0);

const FIELD_COUNT = 4;
/** Positions between two values of a field. */
const VALUE_GAP = 8;

interface Occurrence {
  readonly field: number;
  readonly position: number;
  readonly ordinal: number;
}

type Dice = (below: number) => number;

function diceOf(seed: number): Dice {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Fields in any order; some come again, far behind the words before, as further values of a list. */
function randomDocument(dice: Dice): Occurrence[] {
  const words: Occurrence[] = [];
  const ends = new Map<number, number>();
  for (let parts = dice(FIELD_COUNT + 1); parts > 0; parts--) {
    const field = dice(FIELD_COUNT);
    let position = (ends.get(field) ?? 0) + (dice(4) === 0 ? dice(9) : 0);
    for (let n = dice(30); n > 0; n--) {
      words.push({ field, position, ordinal: ORDINALS[dice(ORDINALS.length)]! });
      const gap = dice(6) === 0 ? dice(4) : dice(40) === 0 ? GAP_CODE_MAX + dice(9) : 0;
      position += 1 + gap;
    }
    ends.set(field, position + VALUE_GAP);
  }
  return words;
}

function encode(words: readonly Occurrence[]): number[] {
  const codes: number[] = [];
  let field = 0;
  let next = 0;
  for (const word of words) {
    if (word.field !== field) {
      codes.push(FIELD, word.field);
      field = word.field;
      next = 0;
    }
    const gap = word.position - next;
    if (gap > 0 && gap < GAP_CODE_MAX) codes.push(CODES_MAX + gap);
    else if (gap > 0) codes.push(LONG_GAP, gap);
    const code = CODED.indexOf(word.ordinal);
    if (code >= 0) codes.push(code);
    else codes.push(RARE_TERM, word.ordinal & 0xffff, word.ordinal >>> 16);
    next = word.position + 1;
  }
  return codes;
}

/** Terms of each step, as half-open ranges of ordinals. */
type Steps = readonly (readonly [lo: number, hi: number][])[];

function randomSteps(dice: Dice): Steps {
  return Array.from({ length: 2 + dice(3) }, () => {
    // More ranges of codes than are compared at once, without a term that has no code.
    if (dice(3) === 0) return CODED.filter((_, i) => i % 2 === 0).map((lo) => [lo, lo + 1]);
    return Array.from({ length: 1 + dice(3) }, (): [number, number] => {
      const lo = ORDINALS[dice(ORDINALS.length)]!;
      return [lo, lo + 1 + dice(9)];
    });
  });
}

const isOf = (ranges: Steps[number], ordinal: number): boolean =>
  ranges.some(([lo, hi]) => ordinal >= lo && ordinal < hi);

const hasAll = (words: readonly Occurrence[], steps: Steps): boolean =>
  steps.every((ranges) => words.some(({ ordinal }) => isOf(ranges, ordinal)));

function expectedCost(words: readonly Occurrence[], steps: Steps): number {
  let sum = 0;
  for (let i = 0; i + 1 < steps.length; i++) {
    let best = PAIR_COSTS;
    for (const a of words)
      for (const b of words) {
        if (a.field !== b.field || !isOf(steps[i]!, a.ordinal) || !isOf(steps[i + 1]!, b.ordinal))
          continue;
        const gap = b.position - a.position;
        if (gap !== 0) best = Math.min(best, gap > 0 ? gap - 1 : -gap);
      }
    sum += best;
  }
  return sum;
}

/** A scan for the steps; each term is there once for a step. @param rarer steps that are looked for */
function scanFor(
  forward: ForwardIndex,
  steps: Steps,
  rarer: ReadonlySet<number>,
  place = 0,
): ForwardScan {
  const scan = SCANS.at(place);
  const wanted = scan.want(forward);
  steps.forEach((ranges, step) => {
    for (const ordinal of ORDINALS)
      if (isOf(ranges, ordinal)) wanted.add(forward, ordinal, ordinal + 1, step);
  });
  const { marks } = scan;
  marks.all = (1 << (steps.length - 1)) - 1;
  const addUse = (step: number, mark: number): void => {
    const left = (1 << step) & marks.all;
    const right = step > 0 ? 1 << (step - 1) : 0;
    marks.left[mark]! |= left;
    marks.reversedLeft[mark]! |= left;
    marks.right[mark]! |= right;
    marks.reversedRight[mark]! |= right;
    marks.place[mark]! |= 1 << step;
    marks.exact[mark]! |= 1 << step;
  };
  expect(scan.begin((step) => rarer.has(step), addUse)).toBe(true);
  return scan;
}

const allRanks = (count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, rank) => rank);

/** Of pair `i`, the side that is looked for. */
const randomSides = (dice: Dice, steps: Steps): ReadonlySet<number> =>
  new Set(Array.from({ length: steps.length - 1 }, (_, i) => i + dice(2)));

/** Buckets of positions: exact below 16, then up to 24, then each up to a power of two. */
const bucketOf = (position: number): number =>
  position < 16 ? position : position < 24 ? 16 : 12 + Math.ceil(Math.log2(position));

const ABSENT = 0xff;

function expectedPlaces(words: readonly Occurrence[], steps: Steps, costs: PlaceCosts): number {
  const places = steps.map((ranges, step) => {
    const own = words.filter(({ ordinal }) => isOf(ranges, ordinal));
    const of = ({ field, position }: Occurrence): number =>
      costs.steps[step]![costs.byField ? field : bucketOf(position)]!;
    return Math.min(ABSENT, ...own.map(of));
  });
  return places.reduce((sum, cost) => sum + cost, 0);
}

function forwardIndexOf(documents: readonly (readonly Occurrence[])[]): ForwardIndex {
  return forwardIndexOfCodes(documents.map(encode));
}

function forwardIndexOfCodes(codes: readonly (readonly number[])[]): ForwardIndex {
  const offsets = [0];
  for (const { length } of codes) offsets.push(offsets.at(-1)! + length);
  const sections = {
    forwardTerms: Uint32Array.from(CODED),
    forwardOffsets: Uint32Array.from(offsets),
    forwardCodes: Uint16Array.from(codes.flat()),
  };
  return new ForwardIndex('test', sections, codes.length);
}

/** Fields with terms of all steps, as bits, if each step has one in its bucket of positions. */
function expectedFields(words: readonly Occurrence[], steps: Steps, buckets: Uint8Array): number {
  const found = steps.map((ranges) => words.filter(({ ordinal }) => isOf(ranges, ordinal)));
  const arePlaced = found.every((own, step) =>
    own.some(({ position }) => bucketOf(position) === buckets[step]),
  );
  if (!arePlaced) return 0;
  return found.reduce(
    (common, own) => common & own.reduce((fields, { field }) => fields | (1 << field), 0),
    -1,
  );
}

/** Of random steps, for each seed. */
const ROUNDS = amount(6, 40);

describe('a scan of a forward index', () => {
  const seeds = [1, 2, 3, 4, 5, 6];

  it.each(seeds)('finds what a comparison of all words finds (seed %d)', (seed) => {
    const dice = diceOf(seed);
    const documents = Array.from({ length: 300 }, () => randomDocument(dice));
    const forward = forwardIndexOf(documents);
    const out = new Int32Array(documents.length);
    for (let round = 0; round < ROUNDS; round++) {
      const steps = randomSteps(dice);
      const scan = scanFor(forward, steps, randomSides(dice, steps));
      scan.pairCosts(allRanks(documents.length), out);
      expect([...out]).toEqual(documents.map((words) => expectedCost(words, steps)));
      const costs = {
        steps: steps.map(() => Uint8Array.from({ length: PLACES_MAX }, () => dice(9))),
        byField: round % 2 === 0,
      };
      const ranks = allRanks(documents.length).filter(
        (rank) => !costs.byField || hasAll(documents[rank]!, steps),
      );
      const places = new Int32Array(ranks.length);
      scan.placeCosts(ranks, costs, places);
      expect([...places]).toEqual(
        [...ranks].map((rank) => expectedPlaces(documents[rank]!, steps, costs)),
      );
      const buckets = Uint8Array.from(steps, () => dice(12));
      scan.exactFields(allRanks(documents.length), buckets, out);
      expect([...out]).toEqual(documents.map((words) => expectedFields(words, steps, buckets)));
    }
  });

  it('finds the same in some of the documents that were scanned before, and in others', () => {
    const dice = diceOf(7);
    const documents = Array.from({ length: 300 }, () => randomDocument(dice));
    const forward = forwardIndexOf(documents);
    const steps = randomSteps(dice);
    const scan = scanFor(forward, steps, randomSides(dice, steps));
    const expected = documents.map((words) => expectedCost(words, steps));
    for (const share of [2, 3, 3, 7, 1]) {
      const ranks = allRanks(documents.length).filter((rank) => rank % share === 0);
      const out = new Int32Array(ranks.length);
      scan.pairCosts(ranks, out);
      expect([...out]).toEqual([...ranks].map((rank) => expected[rank]));
    }
  });

  it('finds the same after scans at other places, of which one needs more memory', () => {
    const dice = diceOf(9);
    const segments = Array.from({ length: SCANS_MAX }, (_, place) => {
      const documents = Array.from({ length: 20 }, () => randomDocument(dice));
      const long = Array.from({ length: 500_000 }, () => dice(CODED.length));
      const codes = documents.map(encode);
      const forward = forwardIndexOfCodes(place === 5 ? [...codes, long] : codes);
      const steps = randomSteps(dice);
      const scan = scanFor(forward, steps, randomSides(dice, steps), place);
      return { documents, steps, scan };
    });
    SCANS.at(5).pairCosts(Uint32Array.of(20), new Int32Array(1));
    for (const { documents, steps, scan } of segments) {
      const out = new Int32Array(documents.length);
      scan.pairCosts(allRanks(documents.length), out);
      expect([...out]).toEqual(documents.map((words) => expectedCost(words, steps)));
    }
    const [{ documents }] = segments as [(typeof segments)[number]];
    const steps = randomSteps(dice);
    const again = scanFor(forwardIndexOf(documents), steps, randomSides(dice, steps));
    const out = new Int32Array(documents.length);
    again.pairCosts(allRanks(documents.length), out);
    expect([...out]).toEqual(documents.map((words) => expectedCost(words, steps)));
  });

  it('finds the same after documents that need more memory', () => {
    const dice = diceOf(8);
    const documents = [randomDocument(dice), randomDocument(dice)];
    const long = Array.from({ length: 400_000 }, () => dice(CODED.length));
    const codes = [...documents.map(encode), long];
    const forward = forwardIndexOfCodes(codes);
    const steps = randomSteps(dice);
    const scan = scanFor(forward, steps, randomSides(dice, steps));
    const expected = documents.map((words) => expectedCost(words, steps));
    for (const count of [2, 3, 2]) {
      const out = new Int32Array(count);
      scan.pairCosts(allRanks(count), out);
      expect([...out.subarray(0, 2)]).toEqual(expected);
    }
  });
});
