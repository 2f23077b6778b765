/** Finds the chunks of a dictionary that contain a text. Layout: chunk-grams-writer.ts. */
import { CorruptionError } from '../../core/errors.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { indexOfSorted } from '../sets/sorted.ts';
import { type ChunkGramSections, gramAt } from './chunk-grams-writer.ts';
import { GRAM_BYTES } from './chunk-terms.ts';

/** Candidates of which this few are left are compared with the text rather than with more lists. */
const FEW_CANDIDATES = 64;

export class ChunkGrams {
  readonly #file: string;
  readonly #grams: Uint32Array;
  readonly #lists: PostingLists;
  readonly #chunkCount: number;

  /** @param file named in error messages @param chunkCount upper bound of the chunks */
  constructor(file: string, sections: ChunkGramSections, chunkCount: number) {
    const { chunkGrams, chunkGramLists } = sections;
    const count = chunkGrams.length >>> 1;
    this.#file = file;
    this.#chunkCount = chunkCount;
    if (chunkGrams.length !== count * 2 + 1)
      throw this.#damage('trigrams and offsets', `${chunkGrams.length} numbers`);
    this.#grams = chunkGrams.subarray(0, count);
    this.#lists = new PostingLists(
      file,
      {
        postings: chunkGramLists,
        offsets: chunkGrams.subarray(count),
        fieldMasks: new Uint32Array(1),
      },
      chunkCount,
      1,
    );
  }

  /**
   * Numbers of the chunks that contain all trigrams of the text, ascending; a few may not contain the
   * text itself, unless it is one trigram. @param part at least `GRAM_BYTES` long
   */
  candidates(part: Uint8Array): Uint32Array {
    const lists: number[] = [];
    for (let at = 0; at + GRAM_BYTES <= part.length; at++) {
      const list = indexOfSorted(this.#grams, gramAt(part, at));
      if (list < 0) return new Uint32Array(0);
      if (!lists.includes(list)) lists.push(list);
    }
    const size = (list: number): number => this.#lists.documentFrequency(list);
    lists.sort((a, b) => size(a) - size(b));
    let found: Uint32Array = this.#lists.readDocuments(lists[0]!).slice();
    for (let i = 1; i < lists.length && found.length > FEW_CANDIDATES; i++)
      found = intersection(found, this.#lists.readDocuments(lists[i]!));
    return found;
  }

  verify(): void {
    for (let list = 0; list < this.#grams.length; list++) {
      if (list > 0 && this.#grams[list]! <= this.#grams[list - 1]!)
        throw this.#damage('ascending trigrams', String(this.#grams[list]));
      this.#lists.verifyList(list, this.#chunkCount);
    }
  }

  #damage(expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, 0, expected, got);
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
