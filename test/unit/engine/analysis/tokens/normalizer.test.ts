/**
 * relevance.md 1.1 step 5: the order of steps, classification before lower-casing, and where lemma
 * characters come from.
 */
import { describe, expect, it } from 'vitest';
import { Script } from '../../../../../src/engine/analysis/characters/scripts.ts';
import { Language } from '../../../../../src/engine/analysis/languages/languages.ts';
import {
  decomposedStopWords,
  Normalizer,
} from '../../../../../src/engine/analysis/tokens/normalizer.ts';
import { TokenKind } from '../../../../../src/engine/analysis/tokens/token.ts';

const stopWords = decomposedStopWords(['the', 'É', '…', '']);
const normalizer = new Normalizer({
  isStopWord: (text) => stopWords.has(text),
  kindOfSeparator: (text) =>
    text === ' ' ? TokenKind.softSeparator : text === '!' ? TokenKind.hardSeparator : null,
});
const latin = (piece: string) => normalizer.normalize(piece, Script.latin, Language.unknown);

describe('normalize', () => {
  it('classifies before lower-casing and after decomposition', () => {
    expect(latin('the').kind).toBe(TokenKind.stopWord);
    expect(latin('The')).toEqual({ kind: TokenKind.word, lemma: 'the', ends: null });
    expect(latin('E\u0301').kind).toBe(TokenKind.stopWord);
    expect(latin('é').kind).toBe(TokenKind.word);
    expect(latin('...').kind).toBe(TokenKind.stopWord);
    expect(latin('\u00a0').kind).toBe(TokenKind.softSeparator);
    expect(latin('！').kind).toBe(TokenKind.hardSeparator);
    expect(latin('t\u0001he').kind).toBe(TokenKind.stopWord);
  });

  it('leaves a piece that vanished as an empty word', () => {
    expect(latin('\u0001\u0002')).toMatchObject({ kind: TokenKind.word, lemma: '' });
    expect(latin('\u0301')).toMatchObject({ kind: TokenKind.word, lemma: '' });
    expect(latin('')).toMatchObject({ kind: TokenKind.word, lemma: '' });
  });

  it('has no list of origins when lemma and piece agree unit by unit', () => {
    for (const piece of ['word', 'WORD', 'ñandú', 'łódź', '😀a'])
      expect(latin(piece).ends).toBeNull();
  });

  it('tells after which original character each lemma character ends', () => {
    expect(latin('cœur')).toEqual({ kind: TokenKind.word, lemma: 'coeur', ends: [1, 2, 2, 3, 4] });
    expect(latin('e\u0301t')).toEqual({ kind: TokenKind.word, lemma: 'et', ends: [1, 3] });
    expect(latin('a\u0001b')).toEqual({ kind: TokenKind.word, lemma: 'ab', ends: [1, 3] });
    expect(latin('①😀é')).toEqual({ kind: TokenKind.word, lemma: '1😀e', ends: null });
    expect(latin('ﬁn')).toEqual({ kind: TokenKind.word, lemma: 'fin', ends: [1, 1, 2] });
  });

  it('gives a recomposed Swedish letter the end of its mark', () => {
    expect(normalizer.normalize('a\u030ar', Script.latin, Language.swedish)).toEqual({
      kind: TokenKind.word,
      lemma: 'år',
      ends: [2, 3],
    });
  });

  it('makes a final sigma a medial one, and no other', () => {
    const greek = (piece: string): string =>
      normalizer.normalize(piece, Script.greek, Language.unknown).lemma;
    expect(greek('λόγος')).toBe('λογοσ');
    expect(greek('ΛΌΓΟΣ')).toBe('λογοσ');
    expect(greek('σςσ')).toBe('σςσ');
  });

  it('makes ё meet е in Cyrillic, and keeps the marks of other letters', () => {
    const cyrillic = (piece: string) =>
      normalizer.normalize(piece, Script.cyrillic, Language.unknown);
    expect(cyrillic('Ёлка, Её')).toEqual({ kind: TokenKind.word, lemma: 'елка, ее', ends: null });
    expect(cyrillic('жде\u0308т')).toEqual({
      kind: TokenKind.word,
      lemma: 'ждет',
      ends: [1, 2, 3, 5],
    });
    for (const word of ['її', 'йод', 'ӓ']) expect(cyrillic(word).lemma).toBe(word.normalize('NFD'));
  });

  it('lower-cases before it splits ligatures, and drops marks after', () => {
    expect(latin('Ǽ').lemma).toBe('ae');
    expect(latin('İI').lemma).toBe('ii');
  });
});
