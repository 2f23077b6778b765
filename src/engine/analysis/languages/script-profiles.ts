/**
 * The processing of each script's words: its segmenter and its character folds, in the order of
 * relevance.md 1.1. A better segmenter or another fold is a change of this table.
 */

import { Script } from '../characters/scripts.ts';
import { chineseWordSegmenter } from './chinese-cuts.ts';
import { foldChineseVariant } from './chinese-variants.ts';
import { cjSegmenter, isIdeograph } from './cj-segmenter.ts';
import { compoundSegmenter } from './german-compounds.ts';
import { Language } from './languages.ts';
import {
  articleSegmenter,
  dictionarySegmenter,
  rememberingCuts,
  type Segmenter,
} from './segmenters.ts';
import { chineseWords, germanWords } from './word-lists.ts';

/**
 * Replaces one character (a code point as string) of decomposed text; the empty string removes it.
 */
type Fold = (character: string) => string;

export interface ScriptProfile {
  /** null: a piece between separators is one word. */
  readonly segmenter: Segmenter | null;
  /** Folding of one character after classification. */
  readonly fold: Fold;
  /** Whether `A` becomes `a`. */
  readonly isLowerCased: boolean;
}

const mapped = (pairs: Readonly<Record<string, string>>): Fold => {
  const table = new Map(Object.entries(pairs));
  return (character) => table.get(character) ?? character;
};

const lowerCase: Fold = (character) => character.toLowerCase();
const straightenQuote = mapped({ '’': "'", '‘': "'", '‛': "'" });
const partLigature = mapped({ œ: 'oe', Œ: 'oe', æ: 'ae', Æ: 'ae' });
const foldStrokedD = mapped({ đ: 'd', Đ: 'd', ð: 'd', Ð: 'd' });
const foldDotlessI = mapped({ ı: 'i' });
const dropMark: Fold = (character) => (/^\p{Mn}$/u.test(character) ? '' : character);
const foldArabic = mapped({ '\u0640': '', آ: 'ا', أ: 'ا', إ: 'ا', ٱ: 'ا', ى: 'ي', ة: 'ه' });

const digits = (zero: number): [string, string][] =>
  Array.from({ length: 10 }, (_, digit) => [String.fromCharCode(zero + digit), String(digit)]);
const foldPersian = mapped({
  ك: 'ک',
  ي: 'ی',
  ى: 'ی',
  ...Object.fromEntries([...digits(0x660), ...digits(0x6f0)]),
});

const KATAKANA_TO_HIRAGANA = 0x60;
const foldKatakana: Fold = (character) =>
  /^[ァ-ヶヽヾ]$/u.test(character)
    ? String.fromCharCode(character.charCodeAt(0) - KATAKANA_TO_HIRAGANA)
    : character;

/** Applies all folds in order; a fold may turn one character into several. */
function chain(folds: readonly Fold[]): Fold {
  return (character) => folds.reduce((text, fold) => Array.from(text, fold).join(''), character);
}

const profile = (folds: readonly Fold[], segmenter: Segmenter | null = null): ScriptProfile => ({
  segmenter,
  fold: chain(folds),
  isLowerCased: folds.includes(lowerCase),
});

const PLAIN = profile([]);
/** Of the letters without a script, only the Armenian ones are lower-cased. */
const NO_SCRIPT = profile([
  (character) => (/[Ա-Ֆ]/u.test(character) ? character.toLowerCase() : character),
]);
const LOWER_CASED = profile([lowerCase]);
const HEBREW = profile([dropMark]);
/** Half-width katakana counts as Hangul. */
const HANGUL = profile([foldKatakana]);
const THAI = profile([dropMark], rememberingCuts(dictionarySegmenter('th')));
const KHMER = profile([], rememberingCuts(dictionarySegmenter('km')));
const GREEK = profile([lowerCase, dropMark]);
const LATIN_FOLDS = [
  lowerCase,
  straightenQuote,
  partLigature,
  dropMark,
  foldStrokedD,
  foldDotlessI,
];
const LATIN = profile(LATIN_FOLDS);
const GERMAN = profile(LATIN_FOLDS, rememberingCuts(compoundSegmenter(germanWords)));
const ARABIC = profile([foldArabic, dropMark], articleSegmenter);
const PERSIAN = profile([foldPersian, foldArabic, dropMark], articleSegmenter);

const dictionary = rememberingCuts(dictionarySegmenter('ja'));
const chineseSegmenter = cjSegmenter({ dictionary, cutsIdeographs: true });
const japaneseSegmenter = cjSegmenter({ dictionary, cutsIdeographs: false });
/**
 * Also for other languages: the languages of a query are those of all attributes that it searches,
 * so another attribute must not change how Chinese or Japanese is compared.
 */
const CHINESE = profile([foldChineseVariant, foldKatakana], chineseSegmenter);
const JAPANESE = profile([foldKatakana], japaneseSegmenter);

const BY_SCRIPT: ReadonlyMap<Script, ScriptProfile> = new Map([
  [Script.none, NO_SCRIPT],
  [Script.latin, LATIN],
  [Script.cyrillic, LOWER_CASED],
  [Script.greek, GREEK],
  [Script.georgian, LOWER_CASED],
  [Script.hebrew, HEBREW],
  [Script.hangul, HANGUL],
  [Script.thai, THAI],
  [Script.khmer, KHMER],
]);

/** Words of Chinese text whose characters are cut one by one. */
export const chineseTextWords: Segmenter = rememberingCuts(chineseWordSegmenter(chineseWords));

/** Whether a piece of a text is an ideograph that was cut from its word. */
export const isCutCharacter = (piece: string, script: Script, language: Language): boolean =>
  script === Script.cj && language !== Language.japanese && isIdeograph(piece.codePointAt(0)!);

export function profileOf(script: Script, language: Language): ScriptProfile {
  if (script === Script.cj) return language === Language.japanese ? JAPANESE : CHINESE;
  if (script === Script.latin && language === Language.german) return GERMAN;
  if (script === Script.arabic) return language === Language.persian ? PERSIAN : ARABIC;
  return BY_SCRIPT.get(script) ?? PLAIN;
}
