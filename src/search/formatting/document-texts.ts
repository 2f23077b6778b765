/** The leaves of one document as matched texts, each read and matched once however often it is asked for. */
import type { Analyzer } from '../../engine/analysis/token.ts';
import { decodeUtf8 } from '../../engine/bytes/utf8.ts';
import { stringText } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { numberText } from '../../engine/json/number-text.ts';
import type { MatchingWords } from './matching-words.ts';
import { type MatchedText, matchTokens } from './text-matcher.ts';

export class DocumentTexts {
  readonly #analyzer: Analyzer;
  readonly #words: MatchingWords;
  readonly #tape: JsonTape;
  readonly #known = new Map<number, MatchedText>();

  constructor(analyzer: Analyzer, words: MatchingWords, tape: JsonTape) {
    this.#analyzer = analyzer;
    this.#words = words;
    this.#tape = tape;
  }

  /** To be called whenever the tape holds another document. */
  clear(): void {
    this.#known.clear();
  }

  /** Whether any text can match. */
  get canMatch(): boolean {
    return !this.#words.isEmpty;
  }

  /** @param node a string or a number */
  read(node: number, locales: readonly string[] | null): MatchedText {
    let matched = this.#known.get(node);
    if (!matched) {
      const text = this.textOf(node);
      const tokens = this.#analyzer.tokenizeForDisplay(text, locales);
      matched = { text, tokens, matches: matchTokens(tokens, this.#words) };
      this.#known.set(node, matched);
    }
    return matched;
  }

  /** Numbers print as they are indexed. @param node a string or a number */
  textOf(node: number): string {
    const tape = this.#tape;
    if (tape.kind(node) !== JsonKind.number) return stringText(tape, node);
    return numberText(decodeUtf8(tape.bytes, tape.start(node), tape.end(node)));
  }
}
