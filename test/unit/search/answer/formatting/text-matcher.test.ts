/** Places of matches in a text: order, numbering of words and tokens. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchTokens } from '../../../../../src/search/answer/formatting/text-matcher.ts';
import { amount } from '../../../../support/run-length.ts';
import { marked, matched, matchingWords, tokensOf } from './display.ts';

describe('matchTokens', () => {
  it('numbers words without separators and tokens with them', () => {
    expect(matched('lamp green', 'a green, old lamp').matches).toMatchObject([
      {
        start: 2,
        end: 7,
        firstToken: 2,
        lastToken: 2,
        firstWord: 1,
        lastWord: 1,
        place: { start: 1, end: 1 },
      },
      { start: 13, end: 17, firstWord: 3, lastWord: 3, place: { start: 0, end: 0 } },
    ]);
  });

  it('counts the words of a phrase', () => {
    const [match, after] = matched('"green lamp" on', 'x green lamp on').matches;
    expect(match).toMatchObject({ firstWord: 1, lastWord: 2, place: { start: 0, end: 1 } });
    expect(after).toMatchObject({ firstWord: 3, lastWord: 3 });
  });

  it('marks a Chinese word once when the query has all of it in a row', () => {
    expect(marked('北京大学', '我在北京大学')).toBe('我在[北京][大学]');
    expect(marked('京北', '我在北京大学')).toBe('我在[北][京]大学');
    expect(marked('京', '我在北京大学')).toBe('我在北[京]大学');
    expect(matched('大学', '我在北京大学').matches).toMatchObject([
      { firstToken: 4, lastToken: 5, firstWord: 3, lastWord: 3, place: { start: 0, end: 1 } },
    ]);
  });

  it('gives matches in order, without overlaps, inside their tokens', () => {
    const words = matchingWords('"a b" ab éc c', ['a b ab éc cd']);
    const texts = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', 'c', ' ', ', ', '-', '東', 'ﬁ'),
    });
    fc.assert(
      fc.property(texts, (text) => {
        const tokens = tokensOf(text);
        let last = 0;
        for (const { start, end, firstToken, lastToken, firstWord, lastWord } of matchTokens(
          tokens,
          words,
        )) {
          expect(start).toBe(tokens.start(firstToken));
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(tokens.end(lastToken));
          expect(lastWord - firstWord).toBeLessThanOrEqual(lastToken - firstToken);
          last = end;
        }
      }),
      { numRuns: amount(150, 500) },
    );
  });
});
