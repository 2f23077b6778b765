/** relevance.md 1.1 step 1: which characters have a script, and where groups open. */
import { describe, expect, it } from 'vitest';
import {
  copyOfBasicPlane,
  Script,
  scriptOf,
} from '../../../../../src/engine/analysis/characters/scripts.ts';
import { analyzerOf, indexed } from '../analyzed-words.ts';

const scriptOfFirst = (text: string): Script => scriptOf(text.codePointAt(0)!);

describe('scriptOf', () => {
  it.each([
    ['a', Script.latin],
    ['\u00a0', Script.latin],
    ['×', Script.latin],
    ['ɏ', Script.latin],
    ['\u0080', Script.latin],
    ['ễ', Script.latin],
    ['℃', Script.latin],
    ['\u2100', Script.latin],
    ['\u214f', Script.latin],
    ['я', Script.cyrillic],
    ['Σ', Script.greek],
    ['ἀ', Script.none],
    ['ნ', Script.georgian],
    ['ש', Script.hebrew],
    ['ك', Script.arabic],
    ['ﻛ', Script.arabic],
    ['ދ', Script.arabic],
    ['ߒ', Script.arabic],
    ['Ქ', Script.georgian],
    ['\ufeff', Script.arabic],
    ['東', Script.cj],
    ['ひ', Script.cj],
    ['カ', Script.cj],
    ['ー', Script.cj],
    ['𠀀', Script.cj],
    ['한', Script.hangul],
    ['！', Script.hangul],
    ['Ａ', Script.hangul],
    ['\uffef', Script.hangul],
    ['ไ', Script.thai],
    ['ខ', Script.khmer],
    ['ह', Script.devanagari],
    ['မ', Script.myanmar],
    ['አ', Script.ethiopic],
  ])('recognises %s', (character, script) => expect(scriptOfFirst(character)).toBe(script));

  it.each([
    'հ',
    'ⴀ',
    'ㇰ',
    '〼',
    'ꩠ',
    '1',
    '_',
    ' ',
    '.',
    '😀',
    '\u0301',
    '\u3000',
    '。',
    '–',
    '€',
    '𝐀',
  ])('gives none to %s', (character) => expect(scriptOfFirst(character)).toBe(Script.none));

  it('hands out tables that the caller may change', () => {
    const table = copyOfBasicPlane();
    table[0x61] = Script.thai;
    expect(scriptOf(0x61)).toBe(Script.latin);
    expect(copyOfBasicPlane()[0x61]).toBe(Script.latin);
  });
});

describe('a change of script', () => {
  const analyzer = analyzerOf();

  it.each([
    ['abc日本', ['abc@0', '日@1', '本@2']],
    ['1я', ['1я@0']],
    ['aa1я', ['aa1@0', 'я@1']],
    ['я1aa', ['я1@0', 'aa@1']],
    ['1-2 3я', ['1@0', '2@1', '3я@2']],
    ['aaяbb', ['aa@0', 'я@1', 'bb@2']],
    ['aa😀bb', ['aa😀bb@0']],
    ['aaՀԱՅbb ՀԱՅ я', ['aaհայbb@0', 'հայ@1', 'я@2']],
    ['ՀԱՅ', ['հայ@0']],
    ['aa. я', ['aa@0', 'я@8']],
    ['aa.я, bb', ['aa@0', 'я@1', 'bb@9']],
    ['42', ['42@0']],
  ])('cuts %s', (text, words) => expect(indexed(analyzer, text)).toEqual(words));
});
