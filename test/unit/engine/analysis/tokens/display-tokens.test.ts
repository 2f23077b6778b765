/** The list that the tokens of one displayed text after the other are put into. */
import { describe, expect, it } from 'vitest';
import { DisplayTokens } from '../../../../../src/engine/analysis/tokens/display-tokens.ts';
import { TokenKind } from '../../../../../src/engine/analysis/tokens/token.ts';
import { encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';

function fill(tokens: DisplayTokens, text: string): void {
  tokens.begin(encodeUtf8(text), 0);
  for (let i = 0; i < text.length; i++)
    tokens.add(i + 1, text[i] === ' ' ? TokenKind.softSeparator : TokenKind.word);
}

const shown = (tokens: DisplayTokens): unknown[] =>
  Array.from({ length: tokens.length }, (_, i) => [
    tokens.start(i),
    tokens.end(i),
    tokens.lemma(i),
    tokens.isSeparator(i),
  ]);

describe('DisplayTokens', () => {
  it('holds a text of any length, and the next one after it', () => {
    const tokens = new DisplayTokens();
    fill(tokens, 'A b'.repeat(100_000));
    expect(tokens.length).toBe(300_000);
    expect(shown(tokens).at(-3)).toEqual([299_997, 299_998, 'a', false]);
    fill(tokens, 'B ');
    expect(shown(tokens)).toEqual([
      [0, 1, 'b', false],
      [1, 2, ' ', true],
    ]);
  });

  it('forgets what was normalised in the text before', () => {
    const tokens = new DisplayTokens();
    const utf8 = encodeUtf8('É');
    tokens.begin(utf8, 0);
    tokens.addNormalized(utf8.length, 'É', { kind: TokenKind.word, lemma: 'e', ends: null });
    expect([tokens.lemma(0), tokens.endOfCharacters(0, 1)]).toEqual(['e', 2]);
    fill(tokens, 'X');
    expect([tokens.lemma(0), tokens.endOfCharacters(0, 1)]).toEqual(['x', 1]);
  });

  it('is without tokens, and starts where the text does, before any is added', () => {
    const tokens = new DisplayTokens();
    tokens.begin(encodeUtf8('abc'), 2);
    expect([tokens.length, tokens.start(0)]).toEqual([0, 2]);
  });
});
