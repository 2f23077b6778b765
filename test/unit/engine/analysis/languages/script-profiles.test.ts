/**
 * relevance.md 1.1 step 5: the folding of each script, on characters that are decomposed already.
 */
import { describe, expect, it } from 'vitest';
import { Script } from '../../../../../src/engine/analysis/characters/scripts.ts';
import { Language } from '../../../../../src/engine/analysis/languages/languages.ts';
import { profileOf } from '../../../../../src/engine/analysis/languages/script-profiles.ts';

const folded = (
  script: Script,
  characters: string,
  language: Language = Language.unknown,
): string => Array.from(characters, profileOf(script, language).fold).join('');

describe('profileOf', () => {
  it('lower-cases Latin, Cyrillic, Greek, Georgian and Armenian, and nothing else', () => {
    expect(folded(Script.latin, 'AbC')).toBe('abc');
    expect(folded(Script.cyrillic, 'ДОМ')).toBe('дом');
    expect(folded(Script.greek, 'ΛΟΓΟΣ')).toBe('λογοσ');
    expect(folded(Script.georgian, 'Ა')).toBe('ა');
    expect(folded(Script.none, 'Հ')).toBe('հ');
    for (const script of [
      Script.none,
      Script.hangul,
      Script.cj,
      Script.arabic,
      Script.hebrew,
      Script.thai,
    ]) {
      expect(folded(script, 'A')).toBe('A');
      expect(profileOf(script, Language.unknown).isLowerCased).toBe(false);
    }
  });

  it('drops non-spacing marks in Hebrew, Thai, Arabic, Latin and Greek, and keeps them in Cyrillic', () => {
    expect(folded(Script.latin, 'e\u0301')).toBe('e');
    expect(folded(Script.greek, 'ο\u0301')).toBe('ο');
    expect(folded(Script.hebrew, 'ש\u05c1\u05b8')).toBe('ש');
    expect(folded(Script.arabic, 'م\u064f')).toBe('م');
    expect(folded(Script.thai, 'ท\u0e35\u0e48')).toBe('ท');
    expect(folded(Script.cyrillic, 'и\u0306')).toBe('и\u0306');
    expect(folded(Script.devanagari, 'क\u093c')).toBe('क\u093c');
  });

  it('folds the quotes, ligatures and special letters of Latin', () => {
    expect(folded(Script.latin, '’‘‛')).toBe("'''");
    expect(folded(Script.latin, 'œŒæÆ')).toBe('oeoeaeae');
    expect(folded(Script.latin, 'đĐðÐ')).toBe('dddd');
    expect(folded(Script.latin, 'ıI')).toBe('ii');
    expect(folded(Script.latin, 'ßøł')).toBe('ßøł');
  });

  it('folds Arabic: no tatweel, one alef, ى to ي, ة to ه', () => {
    expect(folded(Script.arabic, 'سـلام')).toBe('سلام');
    expect(folded(Script.arabic, 'أإآٱا')).toBe('ااااا');
    expect(folded(Script.arabic, 'ىة')).toBe('يه');
  });

  it('folds Persian letters and digits only in Persian', () => {
    expect(folded(Script.arabic, 'كي٤۴', Language.persian)).toBe('کی44');
    expect(folded(Script.arabic, 'كي٤۴', Language.arabic)).toBe('كي٤۴');
  });

  it.each(['国國', '脑腦', '电電', '体體', '里裡', '台臺', '发髮', '圧壓'])(
    'makes %s meet unless the language is Japanese',
    (pair) => {
      const [simplified = '', traditional = ''] = Array.from(pair);
      expect(folded(Script.cj, simplified)).toBe(folded(Script.cj, traditional));
      expect(folded(Script.cj, simplified, Language.chinese)).toBe(
        folded(Script.cj, traditional, Language.chinese),
      );
      expect(folded(Script.cj, simplified, Language.japanese)).not.toBe(
        folded(Script.cj, traditional, Language.japanese),
      );
    },
  );

  it('makes hiragana of katakana in every language', () => {
    expect(folded(Script.cj, 'ァアヶヽーム')).toBe('ぁあゖゝーむ');
    expect(folded(Script.cj, 'ム', Language.japanese)).toBe('む');
    expect(folded(Script.cj, 'ム', Language.chinese)).toBe('む');
    expect(folded(Script.cj, 'ム', Language.other)).toBe('む');
  });

  it('has a segmenter for the scripts that need one', () => {
    const hasSegmenter = (script: Script): boolean =>
      profileOf(script, Language.unknown).segmenter !== null;
    expect([Script.cj, Script.thai, Script.khmer, Script.arabic].every(hasSegmenter)).toBe(true);
    expect(
      [Script.latin, Script.cyrillic, Script.greek, Script.hangul, Script.none].some(hasSegmenter),
    ).toBe(false);
  });
});
