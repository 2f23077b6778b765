/** Cutting of texts into pieces: they cover the text, in order, and the walk can be stopped. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Script, scriptOf } from '../../../../../src/engine/analysis/characters/scripts.ts';
import { LanguageChoice } from '../../../../../src/engine/analysis/languages/languages.ts';
import { DEFAULT_SEPARATORS } from '../../../../../src/engine/analysis/tokens/separator-table.ts';
import { Separators } from '../../../../../src/engine/analysis/tokens/separators.ts';
import { scriptGroups, Tokenizer } from '../../../../../src/engine/analysis/tokens/tokenizer.ts';
import { decodeUtf8, encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { amount } from '../../../../support/run-length.ts';
import { NO_SETTINGS } from '../analyzed-words.ts';

const separators = Separators.of(
  { ...NO_SETTINGS, separatorTokens: ['--'], dictionary: ['a.b'] },
  new Set(),
);
const tokenizer = new Tokenizer(separators);
const ENTRIES = new Set([...DEFAULT_SEPARATORS, '--', 'a.b']);
const ENTRY_UNITS_MAX = 3;

function walk(text: string, visit: (piece: string) => boolean): boolean {
  const utf8 = encodeUtf8(text);
  const choice = new LanguageChoice(null);
  return tokenizer.forEachPiece(utf8, 0, utf8.length, choice, (start, end) =>
    visit(decodeUtf8(utf8, start, end)),
  );
}

const pieces = (text: string, piecesMax = Number.POSITIVE_INFINITY): string[] => {
  const found: string[] = [];
  walk(text, (piece) => found.push(piece) < piecesMax);
  return found;
};

/** Words of these scripts are not cut. */
const isUnsegmented = (character: string): boolean =>
  scriptOf(character.codePointAt(0)!) <= Script.greek;

/** Groups and their scripts by the definition, character by character. */
function definedGroups(text: string): [string, Script][] {
  const groups: [string, Script][] = [];
  for (const character of text) {
    const script = scriptOf(character.codePointAt(0)!);
    const last = groups.at(-1);
    if (!last || (script !== Script.none && last[1] !== Script.none && script !== last[1]))
      groups.push([character, script]);
    else {
      last[0] += character;
      if (script !== Script.none) last[1] = script;
    }
  }
  return groups;
}

/** The pieces by the definition: each group is cut at the longest entries. */
function definedPieces(text: string): string[] {
  const found: string[] = [];
  for (const [group] of definedGroups(text)) {
    let word = '';
    for (let at = 0; at < group.length; ) {
      let entry = '';
      for (let units = 1; units <= ENTRY_UNITS_MAX; units++) {
        const next = group.slice(at, at + units);
        if (ENTRIES.has(next)) entry = next;
      }
      if (entry === '') word += String.fromCodePoint(group.codePointAt(at)!);
      else {
        if (word !== '') found.push(word);
        found.push(entry);
        word = '';
      }
      at += entry.length || (group.codePointAt(at)! > 0xffff ? 2 : 1);
    }
    if (word !== '') found.push(word);
  }
  return found;
}

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
        expect(found.join('')).toBe(decodeUtf8(encodeUtf8(text), 0, encodeUtf8(text).length));
        expect(found).not.toContain('');
      }),
      { numRuns: amount(80, 200) },
    );
  });

  it('gives the pieces of the definition', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'b', 'é', '.', ',', ' ', '-', '"', '…', 'я', '1', '\0', '😀'),
        fc
          .string({ unit: 'grapheme', maxLength: 1 })
          .filter((text) => Array.from(text).every(isUnsegmented)),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        expect(pieces(text)).toEqual(definedPieces(text));
      }),
      { numRuns: amount(200, 3000) },
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
    expect(walk('a', () => true)).toBe(true);
    expect(walk('a b', () => false)).toBe(false);
  });
});

describe('scriptGroups', () => {
  const groups = (text: string) => {
    const utf8 = encodeUtf8(text);
    return Array.from(scriptGroups(utf8, 0, utf8.length, separators), ({ start, end, script }) => [
      decodeUtf8(utf8, start, end),
      script,
    ]);
  };

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

  it('are those of the definition', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'é', '.', ' ', '1', '東', 'я', 'α', 'ا', 'ไ', '–', '😀'),
        fc.string({ unit: 'grapheme', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        expect(groups(text)).toEqual(definedGroups(text));
      }),
      { numRuns: amount(150, 500) },
    );
  });
});
