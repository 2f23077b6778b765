/** relevance.md 1.1 step 2: the language of a group, free, forced, or limited to a list. */
import { describe, expect, it } from 'vitest';
import { Script } from '../../../../../src/engine/analysis/characters/scripts.ts';
import {
  Language,
  LanguageChoice,
} from '../../../../../src/engine/analysis/languages/languages.ts';
import { analyzerOf, indexed } from '../analyzed-words.ts';

const resolve = (locales: readonly string[] | null, script: Script, text: string): Language =>
  new LanguageChoice(locales).resolve(script, text);

describe('LanguageChoice', () => {
  it('never detects the language of Latin text without a list', () => {
    for (const locales of [null, []]) {
      expect(resolve(locales, Script.latin, 'på svenska är det så')).toBe(Language.unknown);
      expect(new LanguageChoice(locales).needsText(Script.latin)).toBe(false);
    }
  });

  it('tells Persian from Arabic by letters, and never Japanese from Chinese, so that queries are cut as documents are', () => {
    for (const text of ['東京', '東京へ'])
      expect(resolve(null, Script.cj, text)).toBe(Language.unknown);
    expect(new LanguageChoice(null).needsText(Script.cj)).toBe(false);
    expect(resolve(null, Script.arabic, 'كتاب جديد')).toBe(Language.arabic);
    expect(resolve(null, Script.arabic, 'کتاب بزرگ')).toBe(Language.persian);
    expect(new LanguageChoice(null).needsText(Script.arabic)).toBe(true);
  });

  it('forces a list of one on every script', () => {
    expect(resolve(['swe'], Script.latin, 'text')).toBe(Language.swedish);
    expect(resolve(['deu'], Script.cj, '喜欢')).toBe(Language.german);
    expect(resolve(['fra'], Script.latin, 'på')).toBe(Language.other);
    expect(resolve(['pes'], Script.arabic, 'كتاب')).toBe(Language.persian);
    expect(new LanguageChoice(['jpn']).needsText(Script.cj)).toBe(false);
  });

  it('takes a code with two names as one language', () => {
    expect(resolve(['cmn', 'zho'], Script.cj, 'かな')).toBe(Language.chinese);
  });

  it('chooses within a longer list only', () => {
    expect(resolve(['cmn', 'eng'], Script.cj, '東京へ')).toBe(Language.chinese);
    expect(resolve(['jpn', 'eng'], Script.cj, '東京')).toBe(Language.japanese);
    expect(resolve(['jpn', 'cmn'], Script.cj, '東京へ')).toBe(Language.unknown);
    expect(resolve(['eng', 'fra'], Script.cj, '東京へ')).toBe(Language.unknown);
    expect(resolve(['ara', 'eng'], Script.arabic, 'کتاب بزرگ')).toBe(Language.arabic);
    expect(resolve(['swe', 'eng'], Script.latin, 'på')).toBe(Language.swedish);
    expect(resolve(['swe', 'eng'], Script.latin, 'the horse')).toBe(Language.unknown);
    expect(resolve(['swe', 'deu'], Script.latin, 'schöne Häuser')).toBe(Language.unknown);
    expect(resolve(['rus', 'eng'], Script.cyrillic, 'слово')).toBe(Language.unknown);
  });
});

describe('a forced language', () => {
  const analyzer = analyzerOf();

  it('keeps the letters of Swedish apart, composed or not', () => {
    expect(indexed(analyzer, 'trä tra\u0308 TRÄ tra é', ['swe'])).toEqual([
      'trä@0',
      'trä@1',
      'trä@2',
      'tra@3',
      'e@4',
    ]);
    expect(indexed(analyzer, 'trä tra', null)).toEqual(['tra@0', 'tra@1']);
  });

  it('changes the folding of ideographs and kana', () => {
    expect(indexed(analyzer, '国', ['cmn'])).toEqual(indexed(analyzer, '國', ['cmn']));
    expect(indexed(analyzer, '国', null)).toEqual(indexed(analyzer, '國', null));
    expect(indexed(analyzer, '国', ['deu'])).toEqual(indexed(analyzer, '國', ['cmn']));
    expect(indexed(analyzer, '国', ['jpn'])).not.toEqual(indexed(analyzer, '國', ['jpn']));
    expect(indexed(analyzer, 'カ', ['jpn'])).toEqual(['か@0']);
    expect(indexed(analyzer, 'カ', ['cmn'])).toEqual(['か@0']);
    expect(indexed(analyzer, 'カ', ['deu'])).toEqual(['か@0']);
  });

  it('makes half-width katakana the same word as katakana', () => {
    expect(indexed(analyzer, 'ｺﾝﾋﾟｭｰﾀ', null)).toEqual(indexed(analyzer, 'コンピュータ', null));
    expect(indexed(analyzer, 'ｶﾞ', ['jpn'])).toEqual(indexed(analyzer, 'が', ['jpn']));
  });

  it('folds Persian letters and digits', () => {
    expect(indexed(analyzer, 'كتابي ۱۲ ٣', ['pes'])).toEqual(
      indexed(analyzer, 'کتابی 12 3', ['pes']),
    );
    expect(indexed(analyzer, 'كتابي', ['ara'])).not.toEqual(indexed(analyzer, 'کتابی', ['ara']));
  });
});
