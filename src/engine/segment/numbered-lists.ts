/**
 * Lists of documents without occurrences (posting-list-format.ts), by number: those that have
 * documents, in two sections.
 *
 *   index      u32 × k: numbers of the lists, ascending; then u32 × (k + 1): where each one starts in `documents`, and the end of the last
 *   documents  the lists
 */
import { CorruptionError } from '../../core/errors.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { indexOfSorted } from '../sets/sorted.ts';
import type { DocumentGroups } from './document-groups.ts';

export interface ListSections {
  readonly index: Uint32Array;
  readonly documents: Uint8Array;
}

export class NumberedListsWriter {
  readonly #lists = new PostingListWriter(1, []);
  readonly #numbers: number[] = [];
  readonly #offsets: number[] = [];

  /** Writes the DocIds `docIds[start … end)`, which ascend, as do the numbers of the lists. */
  add(number: number, docIds: Uint32Array, start: number, end: number): void {
    this.#numbers.push(number);
    this.#offsets.push(this.#lists.length);
    this.#lists.writeDocuments(docIds, start, end);
  }

  finish(): ListSections {
    return {
      index: Uint32Array.from([...this.#numbers, ...this.#offsets, this.#lists.length]),
      documents: this.#lists.finish().postings,
    };
  }
}

/**
 * @param docIdOf DocId of the document with a rank
 * @param numberOf number of a list of the groups; ascends with it
 */
export function writeLists(
  groups: DocumentGroups,
  docIdOf: (rank: number) => number,
  numberOf: (list: number) => number,
): ListSections {
  const writer = new NumberedListsWriter();
  groups.forEachList((list, ranks, count) => {
    for (let i = 0; i < count; i++) ranks[i] = docIdOf(ranks[i]!);
    writer.add(numberOf(list), ranks, 0, count);
  });
  return writer.finish();
}

export class NumberedLists {
  readonly #file: string;
  readonly #numbers: Uint32Array;
  readonly #lists: PostingLists;

  /** @param file named in error messages */
  constructor(file: string, { index, documents }: ListSections, documentCount: number) {
    const count = index.length >>> 1;
    this.#file = file;
    if (index.length !== count * 2 + 1)
      throw this.damage('lists and offsets', `${index.length} numbers`);
    this.#numbers = index.subarray(0, count);
    this.#lists = new PostingLists(
      file,
      {
        postings: documents,
        offsets: index.subarray(count),
        fieldMasks: new Uint32Array(1),
      },
      documentCount,
      1,
    );
  }

  /** Ascending DocIds, in scratch space that the next call overwrites. */
  documents(number: number): Uint32Array {
    const list = indexOfSorted(this.#numbers, number);
    return list < 0 ? new Uint32Array(0) : this.#lists.readDocuments(list);
  }

  /** Ors the DocIds into the bitset `bits`. */
  addDocuments(number: number, bits: Uint32Array): void {
    const list = indexOfSorted(this.#numbers, number);
    if (list >= 0) this.#lists.addDocuments(list, bits);
  }

  count(number: number): number {
    const list = indexOfSorted(this.#numbers, number);
    return list < 0 ? 0 : this.#lists.documentFrequency(list);
  }

  /** @param visit is given ascending DocIds, valid during the call */
  forEachList(visit: (number: number, docIds: Uint32Array) => void): void {
    for (const [list, number] of this.#numbers.entries())
      visit(number, this.#lists.readDocuments(list));
  }

  /** Verifies that numbers ascend, and all lists. @param verifyNumber throws for a wrong one */
  verify(docLimit: number, verifyNumber: (number: number) => void = () => undefined): void {
    const numbers = this.#numbers;
    for (let list = 0; list < numbers.length; list++) {
      if (list > 0 && numbers[list]! <= numbers[list - 1]!)
        throw this.damage('ascending lists', String(numbers[list]));
      verifyNumber(numbers[list]!);
      this.#lists.verifyList(list, docLimit);
    }
  }

  damage(expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, 0, expected, got);
  }
}
