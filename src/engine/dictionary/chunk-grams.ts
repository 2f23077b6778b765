/** Finds the chunks of a dictionary that contain a text. Layout: chunk-grams-writer.ts. */
import { NumberedLists } from '../segment/numbered-lists.ts';
import { type ChunkGramSections, gramAt } from './chunk-grams-writer.ts';
import { GRAM_BYTES } from './chunk-terms.ts';

/** Candidates of which this few are left are compared with the text rather than with more lists. */
const FEW_CANDIDATES = 64;

export class ChunkGrams {
  readonly #lists: NumberedLists;
  readonly #chunkCount: number;

  /** @param file named in error messages @param chunkCount upper bound of the chunks */
  constructor(file: string, sections: ChunkGramSections, chunkCount: number) {
    const lists = { index: sections.chunkGrams, documents: sections.chunkGramLists };
    this.#lists = new NumberedLists(file, lists, chunkCount);
    this.#chunkCount = chunkCount;
  }

  /**
   * Numbers of the chunks that contain all trigrams of the text, ascending; a few may not contain the
   * text itself, unless it is one trigram. @param part at least `GRAM_BYTES` long
   */
  candidates(part: Uint8Array): Uint32Array {
    const counts = new Map<number, number>();
    for (let at = 0; at + GRAM_BYTES <= part.length; at++) {
      const gram = gramAt(part, at);
      const count = this.#lists.count(gram);
      if (count === 0) return new Uint32Array(0);
      counts.set(gram, count);
    }
    const [first, ...others] = [...counts].sort(([, a], [, b]) => a - b).map(([gram]) => gram);
    let found: Uint32Array = this.#lists.documents(first!).slice();
    for (const gram of others) {
      if (found.length <= FEW_CANDIDATES) break;
      found = intersection(found, this.#lists.documents(gram));
    }
    return found;
  }

  verify(): void {
    this.#lists.verify(this.#chunkCount);
  }
}

/** The numbers of `few` that `many` has, too, in the memory of `few`. */
function intersection(few: Uint32Array, many: Uint32Array): Uint32Array {
  let length = 0;
  for (let i = 0, at = 0; i < few.length; i++) {
    const wanted = few[i]!;
    while (at < many.length && many[at]! < wanted) at++;
    if (many[at] === wanted) few[length++] = wanted;
  }
  return few.subarray(0, length);
}
