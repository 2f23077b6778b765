/** Reads the occurrences of a query node in some documents, with their permitted uses. */
import type { QueryNode } from '../query/query-node.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { Phrase, Word } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { MatchSets } from './match-sets.ts';
import { OccurrenceClass, type RecordList } from './occurrence-records.ts';
import {
  readTerms,
  type TermsOfClass,
  type WantedRecords,
  type WithinDocuments,
} from './read-terms.ts';

/** Class of a word outside of phrases. */
export const PLAIN =
  OccurrenceClass.left | OccurrenceClass.right | OccurrenceClass.reversed | OccurrenceClass.place;

export class NodeLoad {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #documents: WithinDocuments;
  readonly #records: RecordList;
  /** By segment. */
  readonly #terms: TermsOfClass[][];

  constructor(
    snapshot: IndexSnapshot,
    sets: MatchSets,
    documents: WithinDocuments,
    records: RecordList,
  ) {
    this.#snapshot = snapshot;
    this.#sets = sets;
    this.#documents = documents;
    this.#records = records;
    this.#terms = snapshot.segments.map(() => []);
  }

  withoutTypos(node: QueryNode): void {
    const { exact, completions, phrase } = node.derivations;
    if (exact) this.word(exact, PLAIN | (node.kind === 'word' ? OccurrenceClass.exact : 0));
    if (completions) {
      const recordClass = node.isFrequentPrefix
        ? (PLAIN & ~OccurrenceClass.reversed) | OccurrenceClass.kept
        : PLAIN;
      this.#terms.forEach((terms, s) => {
        const bound = completions.bounds[2 * s]!;
        // The prefix itself is the first term of its range; its records were already added.
        const lo = exact?.ordinals[s] === bound ? bound + 1 : bound;
        terms.push({ lo, hi: completions.bounds[2 * s + 1]!, recordClass });
      });
    }
    if (phrase) this.#phrase(phrase, OccurrenceClass.exact);
  }

  synonyms(node: QueryNode): void {
    for (const synonym of node.derivations.synonyms) this.#phrase(synonym, OccurrenceClass.synonym);
  }

  withOneTypo(node: QueryNode): void {
    for (const word of node.derivations.oneTypo) this.word(word, 1 | PLAIN);
    if (node.derivations.split) this.#phrase(node.derivations.split, 1);
  }

  word(word: Word, recordClass: number): void {
    addWord(word, recordClass, this.#terms);
  }

  /** The words that were added and not yet read. */
  get wanted(): WantedRecords {
    return { terms: this.#terms, records: this.#records };
  }

  /** The first word of a phrase pairs with the left neighbour, its last word with the right one. */
  #phrase(phrase: Phrase, baseClass: number): void {
    const docs = this.#documents.docs.retain(this.#sets.phrase(phrase));
    if (docs.isEmpty) return;
    const { slots } = phrase;
    const firstWord = slots.find((word) => word !== null)!;
    const rightClass = slots[0] ? OccurrenceClass.right : 0;
    const last = slots[slots.length - 1];
    docs.withBits(SCRATCH.part, (candidates) => {
      const read = (word: Word, recordClass: number): void => {
        const terms: TermsOfClass[][] = this.#snapshot.segments.map(() => []);
        addWord(word, recordClass, terms);
        readTerms(this.#snapshot, [{ terms, records: this.#records }], { docs, candidates });
      };
      read(firstWord, baseClass | OccurrenceClass.place | rightClass);
      if (last) read(last, baseClass | OccurrenceClass.left);
    });
  }
}

function addWord({ ordinals }: Word, recordClass: number, to: readonly TermsOfClass[][]): void {
  for (let s = 0; s < ordinals.length; s++) {
    const ordinal = ordinals[s]!;
    if (ordinal >= 0) to[s]!.push({ lo: ordinal, hi: ordinal + 1, recordClass });
  }
}
