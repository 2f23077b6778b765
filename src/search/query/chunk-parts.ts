/**
 * Parts of chunks in a query: what the user typed between white space, separators included
 * (relevance.md 2.9).
 */
import { limits } from '../../core/limits.ts';
import type { Analyzer } from '../../engine/analysis/analyzer.ts';

/** Shorter parts are only words. */
const PART_CHARACTERS_MIN = 3;

export interface ChunkPart {
  /** Normalised. */
  readonly text: string;
  /** Ids of the first and the last term that it covers. */
  readonly firstId: number;
  readonly lastId: number;
}

/** @param offsets of the query's terms by id: where a word begins in the text, −1 for a phrase */
export function chunkParts(
  text: string,
  offsets: readonly number[],
  analyzer: Analyzer,
): ChunkPart[] {
  const parts: ChunkPart[] = [];
  let id = 0;
  for (const { index, 0: typed } of text.matchAll(/[^\t-\r ]+/g)) {
    while (id < offsets.length && offsets[id]! < index) id++;
    const firstId = id;
    while (id < offsets.length && offsets[id]! < index + typed.length && offsets[id]! >= 0) id++;
    // Quotes begin phrases, and a hyphen excludes a word.
    if (id === firstId || typed.includes('"') || typed.startsWith('-')) continue;
    const part = analyzer.normalizeChunk(typed).lemma;
    if (isLongEnough(part) && Buffer.byteLength(part) <= limits.chunkBytesMax)
      parts.push({ text: part, firstId, lastId: id - 1 });
  }
  return parts;
}

function isLongEnough(text: string): boolean {
  let length = 0;
  for (const _ of text) if (++length === PART_CHARACTERS_MIN) return true;
  return false;
}
