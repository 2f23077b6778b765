/**
 * Text to tokens and indexed words by the settings of one index. Start here: the only entry point
 * of analysis.
 */

import { encodeUtf8 } from '../bytes/utf8.ts';
import type { Script } from './characters/scripts.ts';
import { decodeShortUtf8, utf16Length } from './characters/word-codec.ts';
import { Language, LanguageChoice } from './languages/languages.ts';
import { chineseTextWords, isCutCharacter } from './languages/script-profiles.ts';
import { DisplayTokens } from './tokens/display-tokens.ts';
import { LeadingWords } from './tokens/leading-words.ts';
import { decomposedStopWords, Normalizer } from './tokens/normalizer.ts';
import { Separators } from './tokens/separators.ts';
import type { AnalyzerSettings, Token, TracedLemma, WordSink } from './tokens/token.ts';
import { scriptGroups, Tokenizer, type VisitPiece } from './tokens/tokenizer.ts';
import { asciiStopWords } from './words/ascii-stop-words.ts';
import { ChunkEmitter } from './words/chunk-emitter.ts';
import { WordEmitter } from './words/word-emitter.ts';
import { WordIndexer } from './words/word-indexer.ts';

/** Instances are immutable after construction and hold scratch space: one per thread. */
export class Analyzer {
  readonly #separators: Separators;
  readonly #tokenizer: Tokenizer;
  readonly #normalizer: Normalizer;
  readonly #displayNormalizer: Normalizer;
  readonly #displayTokens = new DisplayTokens();
  readonly #leadingWords: LeadingWords;
  readonly #stopWords: ReadonlySet<string>;
  readonly #emitter = new WordEmitter();
  readonly #chunks = new ChunkEmitter((text) => this.normalizeChunk(text).lemma);
  /**
   * Created at the first use: it holds a cache that threads which only tokenize queries do not
   * need.
   */
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
    this.#leadingWords = new LeadingWords(separators);
    this.#stopWords = stopWords;
  }

  /**
   * All tokens of a text, separators included (relevance.md 1.1, 1.2). `locales` are ISO 639-3
   * codes, null = none given.
   * @param tokensMax the walk stops after this number of tokens
   */
  tokenize(
    text: string,
    locales: readonly string[] | null,
    tokensMax = Number.POSITIVE_INFINITY,
  ): Token[] {
    const tokens: Token[] = [];
    const utf8 = encodeUtf8(text);
    let start = 0;
    const visit: VisitPiece = (from, to, script, language) => {
      const end = start + utf16Length(utf8, from, to);
      const { kind, lemma } = this.#normalizer.normalize(text.slice(start, end), script, language);
      tokens.push({ lemma, kind, start, end });
      start = end;
      return tokens.length < tokensMax;
    };
    this.#tokenizer.forEachPiece(utf8, 0, utf8.length, this.#choiceOf(locales), visit);
    return tokens;
  }

  /**
   * Same tokenisation of the UTF-8 text in `[start, end)`, but stop words are plain words. The
   * formatter matches against these tokens, which are valid until the next call.
   */
  tokenizeForDisplay(
    utf8: Uint8Array,
    start: number,
    end: number,
    locales: readonly string[] | null,
    check: () => void = () => undefined,
  ): DisplayTokens {
    const tokens = this.#displayTokens;
    tokens.check = check;
    tokens.begin(utf8, start);
    const visit: VisitPiece = (from, to, script, language) => {
      const piece = decodeShortUtf8(utf8, from, to);
      const normalized = this.#displayNormalizer.normalize(piece, script, language);
      tokens.addNormalized(to, piece, normalized, isCutCharacter(piece, script, language));
      return true;
    };
    this.#tokenizer.forEachPiece(utf8, start, end, this.#choiceOf(locales), visit, tokens);
    return tokens;
  }

  /** Joins the characters of Chinese text, each a token, into words. */
  joinCharacters(tokens: DisplayTokens): void {
    tokens.joinCharacters(chineseTextWords);
  }

  /**
   * Offset after the first `count` words of the text when no locale is given, `end` when the text
   * has fewer words; −1 when the answer needs tokenizing.
   */
  endOfWords(utf8: Uint8Array, start: number, end: number, count: number): number {
    return this.#leadingWords.endOf(utf8, start, end, count);
  }

  /**
   * Feeds the indexed words of one value to `sink` with the positions of relevance.md 1.3 and 1.5.
   * ASCII text takes a path that makes no string.
   * @param utf8 holds the value's text (JSON escapes already resolved) in `[start, end)`
   * @param base base offset of the value (1.4)
   * @returns position of the last word handed to `sink`, or -1 when there was none
   */
  indexWords(
    utf8: Uint8Array,
    start: number,
    end: number,
    base: number,
    locales: readonly string[] | null,
    sink: WordSink,
  ): number {
    this.#emitter.begin(base, sink);
    if (this.#separators.hasHardBuiltInSequencesOnly)
      this.#byteIndexer().run(utf8, start, end, this.#choiceOf(locales));
    else this.#indexPieces(utf8, start, end, locales);
    return this.#emitter.last;
  }

  /**
   * Feeds the terms of the value's chunks (dictionary/chunk-terms.ts) to `sink`, each at the position
   * of its first word. Arguments as those of `indexWords`.
   */
  indexChunks(
    utf8: Uint8Array,
    start: number,
    end: number,
    base: number,
    locales: readonly string[] | null,
    sink: WordSink,
  ): void {
    this.#chunks.run({ utf8, start, end, base, sink }, () =>
      this.tokenizeForDisplay(utf8, start, end, locales),
    );
  }

  /** Normalises a chunk or a part of one, whatever the language. */
  normalizeChunk(text: string): TracedLemma {
    let lemma = '';
    let start = 0;
    const ends: number[] = [];
    for (const { text: piece, script } of this.#groupsOf(text)) {
      const own = this.#displayNormalizer.normalize(piece, script, Language.unknown);
      lemma += own.lemma;
      let unit = 0;
      let rank = 0;
      for (const character of own.lemma) {
        unit += character.length;
        ends.push(start + (own.ends?.[rank++] ?? unit));
      }
      start += piece.length;
    }
    return { lemma, ends };
  }

  /**
   * Normalises one whole string as facet values and synonyms are normalised, without cutting it
   * (5.8).
   */
  normalizeWhole(text: string, locales: readonly string[] | null): string {
    const choice = this.#choiceOf(locales);
    let normalized = '';
    for (const { text: piece, script } of this.#groupsOf(text))
      normalized += this.#normalizer.normalize(piece, script, choice.resolve(script, piece)).lemma;
    return normalized;
  }

  #groupsOf(text: string): { readonly text: string; readonly script: Script }[] {
    const utf8 = encodeUtf8(text);
    return Array.from(
      scriptGroups(utf8, 0, utf8.length, this.#separators),
      ({ start, end, script }) => ({ text: decodeShortUtf8(utf8, start, end), script }),
    );
  }

  #byteIndexer(): WordIndexer {
    this.#indexer ??= new WordIndexer({
      separators: this.#separators,
      normalizer: this.#normalizer,
      stopWords: asciiStopWords(this.#stopWords),
      emitter: this.#emitter,
    });
    return this.#indexer;
  }

  #indexPieces(
    utf8: Uint8Array,
    start: number,
    end: number,
    locales: readonly string[] | null,
  ): void {
    const emitter = this.#emitter;
    const visit: VisitPiece = (from, to, script, language) => {
      const piece = decodeShortUtf8(utf8, from, to);
      const { kind, lemma } = this.#normalizer.normalize(piece, script, language);
      emitter.token(kind, lemma);
      return !emitter.isFull;
    };
    this.#tokenizer.forEachPiece(utf8, start, end, this.#choiceOf(locales), visit);
  }

  #choiceOf(locales: readonly string[] | null): LanguageChoice {
    if (locales !== this.#locales) {
      this.#locales = locales;
      this.#choice = new LanguageChoice(locales);
    }
    return this.#choice;
  }
}

/** A text as one word: the lemmas of all its tokens, separators included. */
export const joinedLemmas = (analyzer: Analyzer, text: string): string =>
  analyzer
    .tokenize(text, null)
    .map((token) => token.lemma)
    .join('');

export const createAnalyzer = (settings: AnalyzerSettings): Analyzer => new Analyzer(settings);
