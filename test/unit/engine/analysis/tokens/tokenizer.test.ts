/** Cutting of strings into pieces: they cover the text, in order, and the walk can be stopped. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Script } from '../../../../../src/engine/analysis/characters/scripts.ts';
import { LanguageChoice } from '../../../../../src/engine/analysis/languages/languages.ts';
import { Separators } from '../../../../../src/engine/analysis/tokens/separators.ts';
import {
  scriptGroups,
  Tokenizer,
  utf8ScriptGroups,
} from '../../../../../src/engine/analysis/tokens/tokenizer.ts';
import { decodeUtf8, encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { amount } from '../../../../support/run-length.ts';
import { NO_SETTINGS } from '../analyzed-words.ts';

const separators = Separators.of(
  { ...NO_SETTINGS, separatorTokens: ['--'], dictionary: ['a.b'] },
  new Set(),
);
const tokenizer = new Tokenizer(separators);

const pieces = (text: string, piecesMax = Number.POSITIVE_INFINITY): string[] => {
  const found: string[] = [];
  tokenizer.forEachPiece(text, new LanguageChoice(null), (start, end) => {
    found.push(text.slice(start, end));
    return found.length < piecesMax;
  });
  return found;
};

describe('forEachPiece', () => {
  it('covers any text with pieces that are not empty', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', '.', ' ', '-', '東', 'я', 'ا', 'ل', 'ไ', '\ud800', '😀', '1'),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        const found = pieces(text);
        expect(found.join('')).toBe(text);
        expect(found).not.toContain('');
      }),
      { numRuns: amount(80, 200) },
    );
  });

  it('cuts at the longest separator or dictionary entry', () => {
    expect(pieces('a.b---a.c')).toEqual(['a.b', '--', '-', 'a', '.', 'c']);
  });

  it('does not let a separator reach over a change of script', () => {
    expect(pieces('a я')).toEqual(['a', ' ', 'я']);
    expect(pieces('1.яa.b')).toEqual(['1', '.', 'я', 'a.b']);
  });

  it('stops at the limit', () => {
    expect(pieces('one two three', 2)).toEqual(['one', ' ']);
    expect(pieces('السلام', 1)).toEqual(['ال']);
    expect(tokenizer.forEachPiece('a', new LanguageChoice(null), () => true)).toBe(true);
    expect(tokenizer.forEachPiece('a b', new LanguageChoice(null), () => false)).toBe(false);
  });
});

describe('scriptGroups', () => {
  const groups = (text: string) =>
    [...scriptGroups(text, separators)].map(({ start, end, script }) => [
      text.slice(start, end),
      script,
    ]);

  it('opens a group at each change of a known script', () => {
    expect(groups('12 aя 3東')).toEqual([
      ['12 a', Script.latin],
      ['я 3', Script.cyrillic],
      ['東', Script.cj],
    ]);
    expect(groups('12 😀')).toEqual([['12 😀', Script.none]]);
    expect(groups('ὁ λόγος')).toEqual([['ὁ λόγος', Script.greek]]);
    expect(groups('ὁ')).toEqual([['ὁ', Script.none]]);
    expect(groups('')).toEqual([]);
  });
});

describe('utf8ScriptGroups', () => {
  it('gives the groups of the text', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'é', '.', ' ', '1', '東', 'я', 'α', 'ا', 'ไ', '–', '😀'),
        fc.string({ unit: 'grapheme', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        const utf8 = encodeUtf8(text);
        const groups = [...utf8ScriptGroups(utf8, 0, utf8.length, separators)];
        expect(
          groups.map(({ start, end, script }) => [decodeUtf8(utf8, start, end), script]),
        ).toEqual(
          [...scriptGroups(text, separators)].map(({ start, end, script }) => [
            text.slice(start, end),
            script,
          ]),
        );
      }),
      { numRuns: amount(150, 500) },
    );
  });
});
