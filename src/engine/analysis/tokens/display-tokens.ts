/**
 * The tokens of one displayed text, as numbers in arrays that the next text reuses. Only requested
 * lemmas become strings.
 */
import { doubled } from '../../../core/doubled.ts';
import { decodeShortUtf8, utf8Length } from '../characters/word-codec.ts';
import type { Segmenter } from '../languages/segmenters.ts';
import type { NormalizedPiece } from './normalizer.ts';
import { TokenKind } from './token.ts';

const INITIAL_TOKENS = 256;
/** About 0.2 ms of Latin text. */
const TOKENS_BETWEEN_CHECKS = 4096;
/** Longer arrays are freed before the next text, so one huge text does not hold memory for ever. */
const KEPT_TOKENS_MAX = 1 << 16;

/** Of the state of a token: its kind, whether it was normalised, whether it continues a word. */
const KIND_MASK = 3;
const IS_NORMALIZED = 4;
const CONTINUES_WORD = 8;

/** Result of normalising a piece that is not plain ASCII. */
interface NormalizedToken extends NormalizedPiece {
  readonly piece: string;
  /** An ideograph that was cut from its word. */
  readonly isCutCharacter: boolean;
}

/** Returns whether a lemma needs a closer look. */
export interface LemmaFilter {
  passes(lemma: string): boolean;
  /** The same for an ASCII word in upper or lower case. */
  passesAscii(utf8: Uint8Array, start: number, end: number): boolean;
}

/**
 * Offsets are into the tokenized UTF-8 bytes. Tokens cover their text: each ends where the next one
 * starts.
 */
export class DisplayTokens {
  length = 0;
  #utf8: Uint8Array = new Uint8Array(0);
  #starts = new Uint32Array(INITIAL_TOKENS);
  #states = new Uint8Array(INITIAL_TOKENS);
  readonly #normalized = new Map<number, NormalizedToken>();
  #hasCutCharacters = false;

  /** Called once in `TOKENS_BETWEEN_CHECKS` tokens; ends the tokenizing when it throws. */
  check: () => void = () => undefined;

  /** Resets for the text that starts at `start`. */
  begin(utf8: Uint8Array, start: number): void {
    if (this.#starts.length > KEPT_TOKENS_MAX) {
      this.#starts = new Uint32Array(INITIAL_TOKENS);
      this.#states = new Uint8Array(INITIAL_TOKENS);
    }
    this.#utf8 = utf8;
    this.#starts[0] = start;
    this.length = 0;
    if (this.#normalized.size > 0) this.#normalized.clear();
    this.#hasCutCharacters = false;
  }

  /** Adds a token that ends at `end`. @param state the kind of a plain ASCII token */
  add(end: number, state: number): void {
    if (this.length + 1 === this.#starts.length) this.#grow();
    if ((this.length + 1) % TOKENS_BETWEEN_CHECKS === 0) this.check();
    this.#states[this.length++] = state;
    this.#starts[this.length] = end;
  }

  /** Adds a token that needed normalisation. */
  addNormalized(
    end: number,
    piece: string,
    { kind, lemma, ends }: NormalizedPiece,
    isCutCharacter = false,
  ): void {
    this.#normalized.set(this.length, { piece, kind, lemma, ends, isCutCharacter });
    this.#hasCutCharacters ||= isCutCharacter;
    this.add(end, kind | IS_NORMALIZED);
  }

  /** Joins characters that were cut from the same word. */
  joinCharacters(segmenter: Segmenter): void {
    if (!this.#hasCutCharacters) return;
    for (let token = 0; token < this.length; token++) {
      const first = token;
      let run = '';
      for (let next = this.#normalized.get(token); next?.isCutCharacter === true; ) {
        run += next.piece;
        next = this.#normalized.get(++token);
      }
      if (token > first + 1) this.#joinRun(first, run, segmenter);
    }
  }

  /** Whether a token belongs to the word of the token before. */
  continuesWord(token: number): boolean {
    return token < this.length && (this.#states[token]! & CONTINUES_WORD) !== 0;
  }

  /** The last token of the word that this token is of. */
  wordEnd(token: number): number {
    let last = token;
    while (this.continuesWord(last + 1)) last++;
    return last;
  }

  kind(token: number): TokenKind {
    return (this.#states[token]! & KIND_MASK) as TokenKind;
  }

  isSeparator(token: number): boolean {
    return (this.#states[token]! & KIND_MASK) >= TokenKind.softSeparator;
  }

  /** Whether normalisation leaves nothing of the token. */
  isEmpty(token: number): boolean {
    return this.#normalizedAt(token)?.lemma === '';
  }

  /** Start of the token after the last one: the end of the text. */
  start(token: number): number {
    return this.#starts[token]!;
  }

  end(token: number): number {
    return this.#starts[token + 1]!;
  }

  lemma(token: number): string {
    const normalized = this.#normalizedAt(token);
    return normalized
      ? normalized.lemma
      : decodeShortUtf8(this.#utf8, this.start(token), this.end(token)).toLowerCase();
  }

  passes(token: number, filter: LemmaFilter): boolean {
    const normalized = this.#normalizedAt(token);
    if (normalized) return filter.passes(normalized.lemma);
    return filter.passesAscii(this.#utf8, this.start(token), this.end(token));
  }

  /** Offset after the original characters of the first `count` characters of the lemma. */
  endOfCharacters(token: number, count: number): number {
    const normalized = this.#normalizedAt(token);
    if (!normalized) return this.start(token) + count;
    return (
      this.start(token) + utf8Length(normalized.piece, 0, unitsOfCharacters(normalized, count))
    );
  }

  /** Undefined for a plain ASCII token. */
  #normalizedAt(token: number): NormalizedToken | undefined {
    return (this.#states[token]! & IS_NORMALIZED) === 0 ? undefined : this.#normalized.get(token);
  }

  /** @param run the characters of the tokens from `first` on */
  #joinRun(first: number, run: string, segmenter: Segmenter): void {
    let token = first;
    segmenter.segment(run, (start, end) => {
      for (let at = start; at < end; token++) {
        if (at > start) this.#states[token]! |= CONTINUES_WORD;
        at += this.#normalized.get(token)!.piece.length;
      }
      return true;
    });
  }

  #grow(): void {
    this.#starts = doubled(this.#starts);
    this.#states = doubled(this.#states);
  }
}

/** Length of the piece in UTF-16 units. */
function unitsOfCharacters({ lemma, ends }: NormalizedPiece, count: number): number {
  if (ends !== null) return ends[count - 1]!;
  let units = 0;
  let left = count;
  for (const character of lemma) {
    if (left-- === 0) break;
    units += character.length;
  }
  return units;
}
