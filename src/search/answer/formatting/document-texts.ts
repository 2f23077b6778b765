/** The leaves of one document as matched texts. Each leaf is read and matched at most once. */
import type { Deadline } from '../../../core/deadline.ts';
import type { Analyzer } from '../../../engine/analysis/analyzer.ts';
import { JsonKind, type JsonTape } from '../../../engine/json/json-tape.ts';
import { type CropWindow, cropWindow } from './crop-window.ts';
import type { FieldPlan } from './field-plan.ts';
import { isTextAsStored, type LeafText, leafText, textEnd, textStart } from './leaf-text.ts';
import type { MatchingWords } from './matching-words.ts';
import type { TextMatch } from './text-match.ts';
import { matchTokens } from './text-matcher.ts';

export interface MatchedText {
  readonly text: LeafText;
  readonly matches: readonly TextMatch[];
  /** The cropped range; the complete text when it is not cropped. */
  readonly window: CropWindow;
}

/** Leaves between two checks of the deadline. */
const LEAVES_BETWEEN_CHECKS = 1024;

const NO_MATCHES: readonly TextMatch[] = [];

export class DocumentTexts {
  readonly #analyzer: Analyzer;
  readonly #words: MatchingWords;
  readonly #tape: JsonTape;
  readonly #known = new Map<number, MatchedText>();
  readonly #deadline: Deadline;
  readonly #checkLeaf: () => void;

  constructor(analyzer: Analyzer, words: MatchingWords, tape: JsonTape, deadline: Deadline) {
    this.#analyzer = analyzer;
    this.#words = words;
    this.#tape = tape;
    this.#deadline = deadline;
    this.#checkLeaf = deadline.checkOnceIn(LEAVES_BETWEEN_CHECKS);
  }

  /** Call it when the tape holds another document. */
  clear(): void {
    this.#known.clear();
  }

  /** False if no text can match. */
  get canMatch(): boolean {
    return !this.#words.isEmpty;
  }

  /**
   * False when the query matches nothing in this leaf, checked without reading its text. @param
   * node a string or a number
   */
  mayMatch(node: number, { hasParts }: FieldPlan): boolean {
    this.#checkLeaf();
    if (!this.canMatch) return false;
    const tape = this.#tape;
    const isOpen = tape.kind(node) === JsonKind.number && !isTextAsStored(tape, node);
    if (isOpen) return true;
    const [start, end] = [textStart(tape, node), textEnd(tape, node)];
    return (
      this.#words.mayOccurIn(tape.bytes, start, end) ||
      (hasParts && this.#words.parts.mayOccurIn(tape.bytes, start, end))
    );
  }

  /** @param node a string or a number */
  read(node: number, plan: FieldPlan): MatchedText {
    let matched = this.#known.get(node);
    if (!matched) {
      const text = leafText(this.#tape, node);
      matched = this.#matched(text, plan);
      this.#known.set(node, matched);
    }
    return matched;
  }

  /**
   * The offset in the document after the first `words` words of a leaf without locales; −1 if only
   * reading the leaf can find it.
   */
  endOfWords(node: number, words: number): number {
    const tape = this.#tape;
    if (!isTextAsStored(tape, node)) return -1;
    return this.#analyzer.endOfWords(tape.bytes, textStart(tape, node), textEnd(tape, node), words);
  }

  #matched(text: LeafText, { format: { cropWords }, locales, hasParts }: FieldPlan): MatchedText {
    const check = (): void => this.#deadline.check();
    const tokens = this.#analyzer.tokenizeForDisplay(
      text.utf8,
      text.start,
      text.end,
      locales,
      check,
    );
    if (this.canMatch || cropWords > 0) this.#analyzer.joinCharacters(tokens);
    const ofWords = this.canMatch ? matchTokens(tokens, this.#words, check) : NO_MATCHES;
    const matches =
      hasParts && !this.#words.parts.isEmpty
        ? this.#words.parts.addTo(ofWords, text, tokens, check)
        : ofWords;
    return { text, matches, window: cropWords > 0 ? cropWindow(tokens, matches, cropWords) : text };
  }
}
