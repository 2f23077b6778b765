/**
 * Terms of a segment similar to a text: a capped list yields the same terms as a new search of all
 * terms.
 */
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import type { TermDictionary } from '../../../../src/engine/dictionary/term-dictionary.ts';
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

/** All terms are similar to every text; one in three has another first character, at a typo. */
const dictionary = {
  bytes: (ordinal: number) => encodeUtf8(`${ordinal % 3 === 2 ? 'm' : 's'}${ordinal}`),
  visitSimilar(_text: string, _options: unknown, visit: (o: number, distance: number) => boolean) {
    for (let ordinal = 0; ordinal < TERMS; ordinal++)
      if (!visit(ordinal, ordinal % 3 === 1 ? 2 : 1)) return;
  },
} as unknown as TermDictionary;

/** The live terms taken, and whether the list was complete. */
function taken(left: number[], isAlive: (ordinal: number) => boolean) {
  const ordinals: number[] = [];
  const isEnough = takeSimilar(similarTerms(dictionary, TO, left), 2, (ordinal) => {
    if (isAlive(ordinal)) ordinals.push(ordinal);
    return isAlive(ordinal);
  });
  return { ordinals, isEnough };
}

describe('similar terms', () => {
  it('are the number that can be needed, of each kind', () => {
    const { ordinals, isEnough } = taken(allTerms(), () => true);
    const kinds = [0, 1, 2].map((kind) => ordinals.filter((o) => o % 3 === kind).length);
    expect(kinds).toEqual(neededTerms(2));
    expect(isEnough).toBe(true);
  });

  it('in a capped list are enough while most of them are live', () => {
    const isAlive = (ordinal: number) => ordinal % 5 > 1;
    const kept = taken(spareTerms(2), isAlive);
    expect(kept.isEnough).toBe(true);
    expect(kept.ordinals).toEqual(taken(allTerms(), isAlive).ordinals);
  });

  it('in a capped list are reported as incomplete when too many of them are dead', () => {
    const kept = taken(spareTerms(2), (ordinal) => ordinal > 1500);
    expect(kept.isEnough).toBe(false);
    expect(kept.ordinals).toEqual([]);
  });
});
