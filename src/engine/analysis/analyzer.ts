/** Start here: text to tokens and indexed words by the settings of one index; the only door to analysis. */
import { AsciiStopWords } from './ascii-stop-words.ts';
import { LanguageChoice } from './languages.ts';
import { latinTokens } from './latin-tokens.ts';
import { decomposedStopWords, Normalizer } from './normalizer.ts';
import { Separators } from './separators.ts';
import type { Analyzer, AnalyzerSettings, Token, WordSink } from './token.ts';
import { scriptGroups, Tokenizer } from './tokenizer.ts';
import { decodeUtf8 } from './word-codec.ts';
import { WordEmitter } from './word-emitter.ts';
import { WordIndexer } from './word-indexer.ts';

class SettingsAnalyzer implements Analyzer {
  readonly #separators: Separators;
  readonly #tokenizer: Tokenizer;
  readonly #normalizer: Normalizer;
  readonly #displayNormalizer: Normalizer;
  readonly #stopWords: ReadonlySet<string>;
  readonly #emitter = new WordEmitter();
  /** Made at the first use: it holds a cache that threads which only tokenize queries can spare. */
  #indexer: WordIndexer | null = null;
  #locales: readonly string[] | null = null;
  #choice = new LanguageChoice(null);

  constructor(settings: AnalyzerSettings) {
    const stopWords = decomposedStopWords(settings.stopWords);
    const isStopWord = (decomposed: string): boolean => stopWords.has(decomposed);
    const separators = Separators.of(settings, stopWords);
    const kindOfSeparator = (decomposed: string) => separators.kindOf(decomposed);
    this.#separators = separators;
    this.#tokenizer = new Tokenizer(separators);
    this.#normalizer = new Normalizer({ isStopWord, kindOfSeparator });
    this.#displayNormalizer = new Normalizer({ isStopWord: () => false, kindOfSeparator });
    this.#stopWords = stopWords;
  }

  tokenize(text: string, locales: readonly string[] | null): Token[] {
    return this.#tokens(text, locales, this.#normalizer);
  }

  tokenizeForDisplay(text: string, locales: readonly string[] | null): Token[] {
    const latin = latinTokens(text, this.#choiceOf(locales), this.#separators, this.#displayNormalizer);
    return latin ?? this.#tokens(text, locales, this.#displayNormalizer);
  }

  indexWords(
    utf8: Uint8Array,
    start: number,
    end: number,
    base: number,
    locales: readonly string[] | null,
    sink: WordSink,
  ): number {
    this.#emitter.begin(base, sink);
    const choice = this.#choiceOf(locales);
    if (this.#separators.hasHardBuiltInSequencesOnly) this.#byteIndexer().run(utf8, start, end, choice);
    else this.#indexText(decodeUtf8(utf8, start, end), choice);
    return this.#emitter.last;
  }

  normalizeWhole(text: string, locales: readonly string[] | null): string {
    const choice = this.#choiceOf(locales);
    let normalized = '';
    for (const { start, end, script } of scriptGroups(text, this.#separators)) {
      const groupText = text.slice(start, end);
      normalized += this.#normalizer.normalize(groupText, script, choice.resolve(script, groupText)).lemma;
    }
    return normalized;
  }

  #tokens(text: string, locales: readonly string[] | null, normalizer: Normalizer): Token[] {
    const tokens: Token[] = [];
    this.#tokenizer.forEachPiece(text, this.#choiceOf(locales), (start, end, script, language) => {
      const { kind, lemma, ends } = normalizer.normalize(text.slice(start, end), script, language);
      const lemmaEnds = ends === null ? null : ends.map((offset) => start + offset);
      tokens.push({ lemma, kind, start, end, lemmaEnds });
      return true;
    });
    return tokens;
  }

  #byteIndexer(): WordIndexer {
    this.#indexer ??= new WordIndexer({
      separators: this.#separators,
      normalizer: this.#normalizer,
      stopWords: new AsciiStopWords(this.#stopWords),
      emitter: this.#emitter,
    });
    return this.#indexer;
  }

  #indexText(text: string, choice: LanguageChoice): void {
    const emitter = this.#emitter;
    this.#tokenizer.forEachPiece(text, choice, (start, end, script, language) => {
      const { kind, lemma } = this.#normalizer.normalize(text.slice(start, end), script, language);
      emitter.token(kind, lemma);
      return !emitter.isFull;
    });
  }

  #choiceOf(locales: readonly string[] | null): LanguageChoice {
    if (locales !== this.#locales) {
      this.#locales = locales;
      this.#choice = new LanguageChoice(locales);
    }
    return this.#choice;
  }
}

export const createAnalyzer = (settings: AnalyzerSettings): Analyzer => new SettingsAnalyzer(settings);
