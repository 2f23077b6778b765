/**
 * The walk of positions over the tokens of one value, handing indexed words to a sink (relevance.md
 * 1.3).
 */
import { hashBytes } from '../../../core/hash.ts';
import { limits } from '../../../core/limits.ts';
import { trimWhiteSpace } from '../characters/white-space.ts';
import { writeUtf8 } from '../characters/word-codec.ts';
import { TokenKind, type WordSink } from '../tokens/token.ts';

/** Longer lemmas take a position but are not indexed. */
export const WORD_BYTES_MAX = limits.wordBytesMax;
/** Words at greater positions are not indexed. */
export const POSITION_MAX = limits.fieldPositionMax;
/** Step of the position across a hard separator. */
export const HARD_GAP = 8;

/** Effect of a token on the walk. */
export const WordOutcome = { nothing: 0, hard: 1, position: 2, word: 3 } as const;
export type WordOutcome = (typeof WordOutcome)[keyof typeof WordOutcome];

const NO_SINK: WordSink = { word: () => undefined };

/** Reused for each value: call `begin`, then pass tokens in order. */
export class WordEmitter {
  /** Holds the UTF-8 of the current word. */
  readonly scratch = new Uint8Array(WORD_BYTES_MAX + 6);
  #sink: WordSink = NO_SINK;
  #position = 0;
  /** 0 until the first word. */
  #step = 0;
  /** Position of the last word handed to the sink, or −1. */
  last = -1;
  /** True when no further word can have a usable position. */
  isFull = false;

  begin(base: number, sink: WordSink): void {
    this.#sink = sink;
    this.#position = base;
    this.#step = 0;
    this.last = -1;
    this.isFull = base > POSITION_MAX;
  }

  /** A word whose UTF-8 is `scratch[0, length)`. */
  word(length: number, hash: number): void {
    const position = this.#position + this.#step;
    if (position > POSITION_MAX) {
      this.isFull = true;
      return;
    }
    this.#position = position;
    this.#step = 1;
    this.last = position;
    this.#sink.word(this.scratch, length, hash, position);
  }

  /** A stop word, or a word that cannot be indexed. */
  position(): void {
    this.#position += this.#step;
    this.#step = 1;
  }

  hard(): void {
    if (this.#step !== 0) this.#step = HARD_GAP;
  }

  /** Adds a token of any kind; returns its kind, with the word's bytes left in `scratch`. */
  token(kind: TokenKind, lemma: string): Prepared {
    const prepared = this.#prepare(kind, lemma);
    this.apply(prepared.outcome, prepared.length, prepared.hash);
    return prepared;
  }

  apply(outcome: WordOutcome, length: number, hash: number): void {
    if (outcome === WordOutcome.word) this.word(length, hash);
    else if (outcome === WordOutcome.position) this.position();
    else if (outcome === WordOutcome.hard) this.hard();
  }

  #prepare(kind: TokenKind, lemma: string): Prepared {
    if (kind === TokenKind.hardSeparator && lemma !== '') return HARD;
    if (kind === TokenKind.softSeparator || lemma === '') return NOTHING;
    if (kind === TokenKind.stopWord) return POSITION;
    const length = writeUtf8(trimWhiteSpace(lemma), this.scratch, 0, WORD_BYTES_MAX);
    if (length <= 0) return POSITION;
    return { outcome: WordOutcome.word, length, hash: hashBytes(this.scratch, 0, length) };
  }
}

export interface Prepared {
  readonly outcome: WordOutcome;
  readonly length: number;
  readonly hash: number;
}

const NOTHING: Prepared = { outcome: WordOutcome.nothing, length: 0, hash: 0 };
const HARD: Prepared = { outcome: WordOutcome.hard, length: 0, hash: 0 };
const POSITION: Prepared = { outcome: WordOutcome.position, length: 0, hash: 0 };
