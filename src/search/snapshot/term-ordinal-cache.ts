/**
 * Cache of the words that searches of an index have looked up, across its generations: the ordinal
 * of a word in a segment never changes, and deleted documents stay deleted.
 */
import { MemoMap } from '../../core/memo-map.ts';
import type { Word } from './derivations.ts';

const WORDS_MAX = 8192;
/** Generations whose words are reused. */
const GENERATIONS_MAX = 64;

/** Result of a look-up in a generation. */
export interface KnownWord {
  /** null when no live document held it. */
  readonly word: Word | null;
  readonly generation: number;
}

export class TermOrdinalCache {
  readonly #words = new MemoMap<string, KnownWord>(WORDS_MAX);
  /** Ids of the segments by generation, the oldest first. */
  readonly #segments = new Map<number, readonly string[]>();

  /** Registers a generation that is opened. */
  note(generation: number, segmentIds: readonly string[]): void {
    this.#segments.set(generation, segmentIds);
    for (const [oldest] of this.#segments) {
      if (this.#segments.size <= GENERATIONS_MAX) break;
      this.#segments.delete(oldest);
    }
  }

  get(text: string): KnownWord | undefined {
    return this.#words.get(text);
  }

  set(text: string, known: KnownWord): void {
    this.#words.set(text, known);
  }

  /**
   * For each of the segments its place in an earlier generation, −1 if it was not part of it; null
   * when that generation is no longer cached.
   */
  placesIn(generation: number, segmentIds: readonly string[]): readonly number[] | null {
    const earlier = this.#segments.get(generation);
    return earlier ? segmentIds.map((id) => earlier.indexOf(id)) : null;
  }
}
