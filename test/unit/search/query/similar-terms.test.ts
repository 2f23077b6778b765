/** Terms of a segment similar to a text: kept in part, they yield what a new look at all of them does. */
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import type { TermDictionary } from '../../../../src/engine/segment/segment.ts';
import {
  allTerms,
  neededTerms,
  type SimilarTo,
  similarTerms,
  spareTerms,
  takeSimilar,
} from '../../../../src/search/query/similar-terms.ts';

const TERMS = 2000;
const TO: SimilarTo = { text: 'sun', budget: 2, isPrefix: false };

/** All of its terms are similar to every text; one in three begins otherwise, at a typo. */
const dictionary = {
  bytes: (ordinal: number) => encodeUtf8(`${ordinal % 3 === 2 ? 'm' : 's'}${ordinal}`),
  visitSimilar(_text: string, _options: unknown, visit: (o: number, distance: number) => boolean) {
    for (let ordinal = 0; ordinal < TERMS; ordinal++)
      if (!visit(ordinal, ordinal % 3 === 1 ? 2 : 1)) return;
  },
} as unknown as TermDictionary;

/** Terms taken where those are alive, and whether that was all. */
function taken(left: number[], isAlive: (ordinal: number) => boolean) {
  const ordinals: number[] = [];
  const isEnough = takeSimilar(similarTerms(dictionary, TO, left), 2, (ordinal) => {
    if (isAlive(ordinal)) ordinals.push(ordinal);
    return isAlive(ordinal);
  });
  return { ordinals, isEnough };
}

describe('similar terms', () => {
  it('are as many as can be needed, of each kind', () => {
    const { ordinals, isEnough } = taken(allTerms(), () => true);
    const kinds = [0, 1, 2].map((kind) => ordinals.filter((o) => o % 3 === kind).length);
    expect(kinds).toEqual(neededTerms(2));
    expect(isEnough).toBe(true);
  });

  it('that are kept are enough while most of them are alive', () => {
    const isAlive = (ordinal: number) => ordinal % 5 > 1;
    const kept = taken(spareTerms(2), isAlive);
    expect(kept.isEnough).toBe(true);
    expect(kept.ordinals).toEqual(taken(allTerms(), isAlive).ordinals);
  });

  it('that are kept are known to be too few when others may have to stand in for dead ones', () => {
    const kept = taken(spareTerms(2), (ordinal) => ordinal > 1500);
    expect(kept.isEnough).toBe(false);
    expect(kept.ordinals).toEqual([]);
  });
});
