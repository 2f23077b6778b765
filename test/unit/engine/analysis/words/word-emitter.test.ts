/** The walk of positions: what each kind of token does to it. */
import { describe, expect, it } from 'vitest';
import { TokenKind } from '../../../../../src/engine/analysis/tokens/token.ts';
import { WordEmitter, WordOutcome } from '../../../../../src/engine/analysis/words/word-emitter.ts';

function walk(
  base: number,
  tokens: readonly (readonly [TokenKind, string])[],
): { words: string[]; emitter: WordEmitter } {
  const words: string[] = [];
  const emitter = new WordEmitter();
  emitter.begin(base, {
    word: (bytes, length, _hash, position) =>
      words.push(`${new TextDecoder().decode(bytes.slice(0, length))}@${position}`),
  });
  for (const [kind, lemma] of tokens) emitter.token(kind, lemma);
  return { words, emitter };
}

const { word, stopWord, softSeparator, hardSeparator } = TokenKind;

describe('WordEmitter', () => {
  it('steps by one over soft and by eight over hard separators', () => {
    const { words, emitter } = walk(5, [
      [hardSeparator, '!'],
      [word, 'a'],
      [softSeparator, ' '],
      [word, 'b'],
      [hardSeparator, ';'],
      [softSeparator, ' '],
      [word, 'c'],
      [word, 'd'],
    ]);
    expect(words).toEqual(['a@5', 'b@6', 'c@14', 'd@15']);
    expect(emitter.last).toBe(15);
  });

  it('lets empty tokens change nothing', () => {
    expect(
      walk(0, [
        [word, ''],
        [word, 'a'],
        [hardSeparator, '!'],
        [word, ''],
        [hardSeparator, ''],
        [word, 'b'],
      ]).words,
    ).toEqual(['a@0', 'b@8']);
  });

  it('gives a position to stop words, blank lemmas and words that are too long', () => {
    const { words, emitter } = walk(0, [
      [stopWord, 'the'],
      [word, 'a'],
      [word, ' \u0085'],
      [word, 'x'.repeat(251)],
      [word, 'b'],
      [stopWord, 'of'],
    ]);
    expect(words).toEqual(['a@1', 'b@4']);
    expect(emitter.last).toBe(4);
  });

  it('is full at the first word beyond the last position', () => {
    const { words, emitter } = walk(65_535, [
      [word, 'a'],
      [word, 'b'],
      [word, 'c'],
    ]);
    expect(words).toEqual(['a@65535']);
    expect(emitter.isFull).toBe(true);
    emitter.begin(0, { word: () => undefined });
    expect([emitter.isFull, emitter.last]).toEqual([false, -1]);
  });

  it('tells what a token came to, so that it can be repeated', () => {
    const { emitter } = walk(0, []);
    expect(emitter.token(word, '\u00a0Ab ').outcome).toBe(WordOutcome.word);
    expect(new TextDecoder().decode(emitter.scratch.slice(0, 2))).toBe('Ab');
    expect(emitter.token(stopWord, 'a').outcome).toBe(WordOutcome.position);
    expect(emitter.token(hardSeparator, '!').outcome).toBe(WordOutcome.hard);
    expect(emitter.token(softSeparator, ' ').outcome).toBe(WordOutcome.nothing);
  });
});
