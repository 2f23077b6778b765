/** What lists of frequent pairs tell of the costs of two words, and when they are not read. */
import { describe, expect, it } from 'vitest';
import type { PairTerms } from '../../../../src/engine/postings/pair-kernel.ts';
import {
  listedCosts,
  listedPair,
  type PairSides,
} from '../../../../src/search/matching/listed-pairs.ts';
import { vocabularyOf } from '../../../../src/search/query/vocabulary.ts';
import type { CostSet } from '../../../../src/search/snapshot/cached-values.ts';
import type { IndexSnapshot } from '../../../../src/search/snapshot/index-snapshot.ts';
import { buildPlacedSnapshot, buildSnapshot } from '../../../support/build-snapshot.ts';
import { DIGEST_ALL } from '../../../support/segment-file.ts';

const MANY = 1_000_000;
const TEXTS = ['a b', 'b a', 'a x b', 'b x a', 'a x y b', 'a x y z b', 'a bb', 'bb a'];

const documents = TEXTS.map((text, id) => ({ id, text }));
const listed = buildSnapshot({ documents, digests: DIGEST_ALL });

const side = (lo: number, hi: number): PairTerms => ({
  lo,
  hi,
  isNext: true,
  isReversed: true,
});

/** Each word alone, or all words that begin with it. */
function sidesOf(snapshot: IndexSnapshot, left: string, right: string, isPrefix = false) {
  const vocabulary = vocabularyOf(snapshot);
  const terms = (text: string, isRange: boolean): PairTerms[][] =>
    snapshot.segments.map(({ terms: own }, s) => {
      const lo = vocabulary.find(text)!.ordinals[s]!;
      if (lo < 0) return [];
      let hi = lo + 1;
      while (isRange && hi < own.termCount && own.text(hi).startsWith(text)) hi++;
      return [side(lo, hi)];
    });
  return { left: terms(left, false), right: terms(right, isPrefix) } satisfies PairSides;
}

const listsOf = (sets: readonly CostSet[]): number[][] =>
  sets.map(({ cost, docs }) => [cost, ...docs.toList()]);

const found = (snapshot: IndexSnapshot, sides: PairSides) => {
  const { sets, bounds } = listedCosts([listedPair(snapshot, sides, MANY)], snapshot.live);
  return [listsOf(sets), listsOf(bounds)];
};

describe('costs of listed pairs', () => {
  it('are the distances of the words, in both orders', () => {
    expect(found(listed, sidesOf(listed, 'a', 'b'))).toEqual([
      [
        [0, 0],
        [1, 1, 2],
        [2, 3, 4],
        [3, 5, 6, 7],
      ],
      [],
    ]);
  });

  it('are those of the closest completion', () => {
    const [sets] = found(listed, sidesOf(listed, 'a', 'b', true));
    expect(sets).toEqual([
      [0, 0, 6],
      [1, 1, 2, 7],
      [2, 3, 4],
      [3, 5],
    ]);
  });

  it('are unknown for documents with a completion that is not listed, unless they are lowest', () => {
    const digests = { ...DIGEST_ALL, pairShare: 2 };
    const some = [...documents, { id: 8, text: 'a b bb' }];
    const snapshot = buildSnapshot({ documents: some, digests });
    expect(found(snapshot, sidesOf(snapshot, 'a', 'b', true))).toEqual([
      [
        [0, 0, 8],
        [1, 1, 2],
        [2, 3, 4],
        [3, 5],
      ],
      [[0, 6, 7]],
    ]);
  });

  it('leave out copies that are deleted from a segment', () => {
    const snapshot = buildPlacedSnapshot({
      segments: [
        [
          { docId: 0, document: { id: 0, text: 'a b' }, isDead: true },
          { docId: 1, document: { id: 1, text: 'a b' }, isDead: false },
        ],
        [{ docId: 0, document: { id: 0, text: 'a x x x x b' }, isDead: false }],
      ],
      digests: DIGEST_ALL,
    });
    expect(found(snapshot, sidesOf(snapshot, 'a', 'b'))).toEqual([
      [
        [0, 1],
        [3, 0],
      ],
      [],
    ]);
  });

  it('are not read when that takes longer, or when both sides have several words', () => {
    const sides = sidesOf(listed, 'a', 'b');
    expect(listedPair(listed, sides, 0)).toBeNull();
    const several = { left: sidesOf(listed, 'a', 'b', true).right, right: sides.left };
    expect(listedPair(listed, several, MANY)).not.toBeNull();
    expect(listedPair(listed, { ...several, right: several.left }, MANY)).toBeNull();
  });

  it('are unknown in segments without lists', () => {
    const both = buildPlacedSnapshot({
      segments: [
        [{ docId: 0, document: { id: 0, text: 'a b' }, isDead: false }],
        [{ docId: 1, document: { id: 1, text: 'a b' }, isDead: false }],
      ],
      digests: DIGEST_ALL,
    });
    const withoutLists = (n: number): IndexSnapshot => ({
      ...both,
      segments: both.segments.map((segment, s) =>
        s < n ? Object.create(segment, { frequentPairs: { value: null } }) : segment,
      ),
    });
    expect(found(withoutLists(1), sidesOf(both, 'a', 'b'))).toEqual([[[0, 1]], [[0, 0]]]);
    expect(listedPair(withoutLists(2), sidesOf(both, 'a', 'b'), MANY)).toBeNull();
  });

  it('are bounds where other terms are too much to read', () => {
    const digests = { ...DIGEST_ALL, pairShare: 2 };
    const snapshot = buildSnapshot({ documents, digests });
    const pair = listedPair(snapshot, sidesOf(snapshot, 'a', 'b', true), 0.1)!;
    const { sets, bounds } = listedCosts([pair], snapshot.live);
    expect(listsOf(sets)).toEqual([[0, 0]]);
    expect(listsOf(bounds)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]]);
  });

  it('are at least those of the listed pairs', () => {
    const pair = listedPair(listed, sidesOf(listed, 'a', 'b'), MANY);
    const { sets, bounds } = listedCosts([pair, null, pair], listed.live);
    expect(sets).toEqual([]);
    expect(listsOf(bounds)).toEqual([
      [0, 0],
      [2, 1, 2],
      [4, 3, 4],
      [6, 5, 6, 7],
    ]);
  });
});
