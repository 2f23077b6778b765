/**
 * The language of a group of text, if it changes how the group is cut or normalised (relevance.md
 * 1.1 step 2).
 */
import { Script } from '../characters/scripts.ts';

/** Languages with their own rules; `other` = a language is forced and it has no rules here. */
export const Language = {
  unknown: 0,
  swedish: 1,
  german: 2,
  chinese: 3,
  japanese: 4,
  arabic: 5,
  persian: 6,
  other: 7,
} as const;
export type Language = (typeof Language)[keyof typeof Language];

const CODES: ReadonlyMap<string, Language> = new Map([
  ['swe', Language.swedish],
  ['deu', Language.german],
  ['cmn', Language.chinese],
  ['zho', Language.chinese],
  ['jpn', Language.japanese],
  ['ara', Language.arabic],
  ['pes', Language.persian],
  ['fas', Language.persian],
]);

const languageOfCode = (code: string): Language => CODES.get(code) ?? Language.other;

const PERSIAN_ONLY_LETTERS = /[\u067e\u0686\u0698\u06a9\u06af\u06cc]/gu;
const ARABIC_ONLY_LETTERS = /[\u0622-\u0626\u0629\u0643\u0649\u064a]/gu;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const looksPersian = (text: string): boolean =>
  count(text, PERSIAN_ONLY_LETTERS) > count(text, ARABIC_ONLY_LETTERS);

/** Scripts whose language is detected from the text when no list narrows it to one. */
const isDetected = (script: Script): boolean => script === Script.arabic;

/** A list of locales, resolved for each group of one script. */
export class LanguageChoice {
  readonly #languages: readonly Language[];
  readonly #forced: Language | null;

  /** `locales` are ISO 639-3 codes; null or empty = detect the language. */
  constructor(locales: readonly string[] | null) {
    const codes = [...new Set(locales ?? [])];
    this.#languages = [...new Set(codes.map(languageOfCode))];
    const [language = Language.unknown] = this.#languages;
    const isOne =
      this.#languages.length === 1 && (codes.length === 1 || language !== Language.other);
    this.#forced = isOne ? language : null;
  }

  /** True when `resolve` looks at the text of a group of this script. */
  needsText(script: Script): boolean {
    if (this.#forced !== null) return false;
    return isDetected(script) || (script === Script.latin && this.#canBeSwedish);
  }

  resolve(script: Script, groupText: string): Language {
    if (this.#forced !== null) return this.#forced;
    if (script === Script.cj) return this.#ofIdeographs();
    if (script === Script.arabic)
      return this.#among(Language.arabic, Language.persian, looksPersian(groupText));
    if (script === Script.latin && this.#canBeSwedish) return this.#latin(groupText);
    return Language.unknown;
  }

  /**
   * Chinese and Japanese are not distinguished by their text: a query is too short for it, and
   * would be cut differently from the documents.
   */
  #ofIdeographs(): Language {
    const isChinese = this.#allows(Language.chinese);
    if (isChinese === this.#allows(Language.japanese)) return Language.unknown;
    return isChinese ? Language.chinese : Language.japanese;
  }

  get #canBeSwedish(): boolean {
    return !this.#isFree && this.#allows(Language.swedish);
  }

  get #isFree(): boolean {
    return this.#languages.length === 0;
  }

  #allows(language: Language): boolean {
    return this.#isFree || this.#languages.includes(language);
  }

  #among(first: Language, second: Language, isSecond: boolean): Language {
    if (this.#allows(first) && this.#allows(second)) return isSecond ? second : first;
    if (this.#allows(first)) return first;
    return this.#allows(second) ? second : Language.unknown;
  }

  /**
   * Swedish competes with other languages of the list: its vowels decide, since German has two of
   * the three.
   */
  #latin(groupText: string): Language {
    const letters = groupText.normalize('NFC').toLowerCase();
    const isSwedish =
      /å/u.test(letters) || (!this.#allows(Language.german) && /[äö]/u.test(letters));
    return isSwedish ? Language.swedish : Language.unknown;
  }
}
