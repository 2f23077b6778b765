/**
 * The kernel finds the same pairs of neighbouring words as a comparison of all occurrences. Method:
 * random documents with gaps, several fields, and terms without a code, in random choices of terms.
 */
import { describe, expect, it } from 'vitest';
import { ForwardIndex } from '../../../../src/engine/segment/forward-index.ts';
import {
  CODES_MAX,
  FIELD,
  GAP_CODE_MAX,
  LONG_GAP,
  RARE_TERM,
} from '../../../../src/engine/segment/forward-index-format.ts';
import {
  NeighbourScan,
  newWantedPairs,
  PAIR_COSTS,
} from '../../../../src/engine/segment/neighbour-scan.ts';
import { WantedTerms } from '../../../../src/engine/segment/wanted-terms.ts';

/** Terms with an even ordinal have a code; the last ones look like special codes in two halves. */
const ORDINALS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 0xfffd, 0xfffe, 0xffff, 0x1fffd, 0x1ffff];
const CODED = ORDINALS.filter((ordinal) => ordinal % 2 === 0);

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

function randomDocument(dice: Dice): Occurrence[] {
  const words: Occurrence[] = [];
  for (let field = dice(2); field < 4; field += 1 + dice(2)) {
    let position = dice(4) === 0 ? dice(9) : 0;
    for (let n = dice(30); n > 0; n--) {
      words.push({ field, position, ordinal: ORDINALS[dice(ORDINALS.length)]! });
      const gap = dice(6) === 0 ? dice(4) : dice(40) === 0 ? GAP_CODE_MAX + dice(9) : 0;
      position += 1 + gap;
    }
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
  return Array.from({ length: 2 + dice(3) }, () =>
    Array.from({ length: dice(9) === 0 ? 12 : 1 + dice(2) }, (): [number, number] => {
      const lo = ORDINALS[dice(ORDINALS.length)]!;
      return [lo, lo + 1 + dice(3)];
    }),
  );
}

const isOf = (ranges: Steps[number], ordinal: number): boolean =>
  ranges.some(([lo, hi]) => ordinal >= lo && ordinal < hi);

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

/** @param rarerOf the side of pair `i` that is looked for: `i` or `i + 1` */
function scanned(
  forward: ForwardIndex,
  steps: Steps,
  count: number,
  rarerOf: (i: number) => number,
) {
  const wanted = new WantedTerms();
  steps.forEach((ranges, step) => {
    // A term is there once for a step.
    for (const ordinal of ORDINALS)
      if (isOf(ranges, ordinal)) wanted.add(forward, ordinal, ordinal + 1, step);
  });
  expect(wanted.finish()).toBe(true);
  const pairs = newWantedPairs();
  pairs.all = (1 << (steps.length - 1)) - 1;
  const rarer = new Set(Array.from({ length: steps.length - 1 }, (_, i) => rarerOf(i)));
  wanted.uses.forEach((uses, mark) => {
    for (const step of uses) {
      const left = (1 << step) & pairs.all;
      const right = step > 0 ? 1 << (step - 1) : 0;
      pairs.left[mark]! |= left;
      pairs.reversedLeft[mark]! |= left;
      pairs.right[mark]! |= right;
      pairs.reversedRight[mark]! |= right;
      if (rarer.has(step)) pairs.rarer[mark] = 1;
    }
  });
  const scan = new NeighbourScan();
  expect(scan.begin(forward, wanted, pairs)).toBe(true);
  const costs = new Int32Array(count);
  scan.costs(
    Uint32Array.from({ length: count }, (_, rank) => rank),
    costs,
  );
  return [...costs];
}

describe('the scan for neighbouring words', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'finds what a comparison of all occurrences finds (seed %d)',
    (seed) => {
      const dice = diceOf(seed);
      const documents = Array.from({ length: 300 }, () => randomDocument(dice));
      const codes = documents.map(encode);
      let end = 0;
      const offsets = [0, ...codes.map(({ length }) => (end += length))];
      const sections = {
        forwardTerms: Uint32Array.from(CODED),
        forwardOffsets: Uint32Array.from(offsets),
        forwardCodes: Uint16Array.from(codes.flat()),
      };
      const forward = new ForwardIndex('test', sections, documents.length);
      for (let round = 0; round < 30; round++) {
        const steps = randomSteps(dice);
        const found = scanned(forward, steps, documents.length, (i) => i + dice(2));
        expect(found).toEqual(documents.map((words) => expectedCost(words, steps)));
      }
    },
  );
});
