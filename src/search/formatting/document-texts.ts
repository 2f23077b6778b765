/** The leaves of one document as matched texts, each read and matched once however often it is asked for. */
import type { Analyzer } from '../../engine/analysis/token.ts';
import { decodeUtf8 } from '../../engine/bytes/utf8.ts';
import { stringText } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { numberText } from '../../engine/json/number-text.ts';
import type { MatchingWords } from './matching-words.ts';
import { isSeparator, type MatchedText, matchTokens } from './text-matcher.ts';

/** Most texts have as many words in so many units, separators included. */
const BEGINNING_UNITS_PER_WORD = 10;
/** Words that a beginning has beyond those asked for, so that its cut end changes nothing before them. */
const SPARE_WORDS = 2;
/** Text that is cut into words at the same places however it goes on. */
const IS_PLAIN = /^[ -~]*$/;
/** Digits that any number prints as it is stored. */
const SHORT_DIGITS = 15;

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

  /** False when the query marks nothing in this leaf, found without reading its text. @param node a string or a number */
  mayMatch(node: number): boolean {
    const tape = this.#tape;
    const [start, end] = [tape.start(node), tape.end(node)];
    if (tape.kind(node) === JsonKind.string) return this.#words.mayOccurIn(tape.bytes, start + 1, end - 1);
    return !isPrintedAsStored(tape.bytes, start, end) || this.#words.mayOccurIn(tape.bytes, start, end);
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

  /** A leaf that cannot match, with as many tokens from its start as a crop to `words` words looks at. */
  readBeginning(node: number, words: number): MatchedText {
    const text = this.textOf(node);
    const cut = text.indexOf(' ', words * BEGINNING_UNITS_PER_WORD);
    if (cut >= 0 && IS_PLAIN.test(text)) {
      const tokens = this.#analyzer.tokenizeForDisplay(text.slice(0, cut + 1), null);
      if (tokens.filter((token) => !isSeparator(token)).length >= words + SPARE_WORDS)
        return { text, tokens, matches: [] };
    }
    return { text, tokens: this.#analyzer.tokenizeForDisplay(text, null), matches: [] };
  }

  /** Numbers print as they are indexed. @param node a string or a number */
  textOf(node: number): string {
    const tape = this.#tape;
    if (tape.kind(node) !== JsonKind.number) return stringText(tape, node);
    return numberText(decodeUtf8(tape.bytes, tape.start(node), tape.end(node)));
  }
}

/** Whether a number is a short row of digits. */
function isPrintedAsStored(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > SHORT_DIGITS) return false;
  for (let at = start; at < end; at++) if (bytes[at]! < 0x30 || bytes[at]! > 0x39) return false;
  return true;
}
