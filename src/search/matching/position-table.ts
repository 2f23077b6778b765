/**
 * Occurrences of query nodes in the documents of one universe, grouped by document: what the
 * position rules read. One table is in use at a time in a thread (it owns the scratch slots); rules
 * below the one that made it share it.
 */
import { derivedTypoMask, type QueryNode } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { Word } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { MatchSets } from './match-sets.ts';
import {
  nodePhrases,
  nodeTerms,
  type PhraseOfClass,
  PLAIN,
  phraseTerms,
  wordTerms,
} from './node-terms.ts';
import {
  CLASS_COUNT,
  type NodePositions,
  OccurrenceClass,
  RecordList,
} from './occurrence-records.ts';
import { readTerms, type WithinDocuments } from './read-terms.ts';
import type { Step } from './readings.ts';

/** A node and the numbers of typos with which it is wanted, as bits. */
interface WantedNode {
  readonly node: QueryNode;
  readonly typoMask: number;
}

const admittedByChoice = new Map<number, Uint8Array>();

/**
 * For each record class: 1 when the step's allowance admits it and it may be used for one of
 * `uses`, else 0. Not to be written to.
 */
export function admittedClasses({ typoMask, exactOnly }: Step, uses: number): Uint8Array {
  const choice = (uses << 4) | (typoMask << 1) | (exactOnly ? 1 : 0);
  let admitted = admittedByChoice.get(choice);
  if (!admitted) {
    admitted = Uint8Array.from({ length: CLASS_COUNT }, (_, recordClass) => {
      if ((recordClass & uses) === 0) return 0;
      if ((recordClass & OccurrenceClass.typoBits) === OccurrenceClass.synonym) return 1;
      if (exactOnly)
        return recordClass & (OccurrenceClass.exact | OccurrenceClass.frequent) ? 1 : 0;
      return (typoMask >>> (recordClass & OccurrenceClass.typoBits)) & 1;
    });
    admittedByChoice.set(choice, admitted);
  }
  return admitted;
}

export class PositionTable {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #universe: DocSet;
  #docs: Uint32Array | null = null;
  readonly #owner = Symbol();
  readonly #nodes = new Map<number, { typoMask: number; positions: NodePositions }>();

  constructor(snapshot: IndexSnapshot, sets: MatchSets, universe: DocSet) {
    this.#snapshot = snapshot;
    this.#sets = sets;
    this.#universe = universe;
  }

  /** Documents of the table; a slot is an index into this. */
  get docs(): Uint32Array {
    this.#docs ??= this.#universe.toList();
    return this.#docs;
  }

  /** More than any DocId. */
  get #docIds(): number {
    return this.#snapshot.bitsetLength * 32;
  }

  /** Filled again after another table has used them. */
  get #slots(): Int32Array {
    const { slots } = SCRATCH;
    return slots.of(this.#owner) ?? slots.fill(this.#owner, this.docs, this.#docIds);
  }

  slotOf(doc: number): number {
    return this.#slots[doc]!;
  }

  /** Slots of documents of the table. */
  slotsOf(docs: Uint32Array): Uint32Array {
    const slots = this.#slots;
    const out = TYPED_ARRAY_POOL.numbers(docs.length);
    for (let i = 0; i < docs.length; i++) out[i] = slots[docs[i]!]!;
    return out;
  }

  /** Records with at least the typos that the step allows when they have been read, else null. */
  read({ node, typoMask }: Step): NodePositions | null {
    const known = this.#nodes.get(node.number);
    return known && (typoMask & derivedTypoMask(node) & ~known.typoMask) === 0
      ? known.positions
      : null;
  }

  /** Records with at least the typos that the step allows. */
  of(step: Step): NodePositions {
    this.prepare([step]);
    return this.#nodes.get(step.node.number)!.positions;
  }

  /** Reads the records of several steps at once, except steps that are already read. */
  prepare(steps: readonly Step[]): void {
    const wanted = new Map<number, WantedNode>();
    for (const step of steps) {
      if (this.read(step)) continue;
      const { node, typoMask } = step;
      const known = wanted.get(node.number) ?? this.#nodes.get(node.number);
      const all = (typoMask & derivedTypoMask(node)) | (known?.typoMask ?? 0);
      wanted.set(node.number, { node, typoMask: all });
    }
    if (wanted.size === 0) return;
    const docs = this.#universe;
    docs.withBits(SCRATCH.universe, (candidates) => {
      for (const each of wanted.values()) this.#load(each, { docs, candidates });
    });
  }

  #load({ node, typoMask }: WantedNode, documents: WithinDocuments): void {
    const records = new RecordList();
    const terms = nodeTerms(node, typoMask, this.#snapshot.segments.length);
    for (const phrase of nodePhrases(node, typoMask)) this.#loadPhrase(phrase, documents, records);
    readTerms(this.#snapshot, { terms, records }, documents);
    const positions = records.groupBySlot(this.#slots, this.docs.length);
    this.#nodes.set(node.number, { typoMask, positions });
  }

  #loadPhrase(of: PhraseOfClass, documents: WithinDocuments, records: RecordList): void {
    const docs = documents.docs.retain(this.#sets.phrase(of.phrase));
    if (docs.isEmpty) return;
    docs.withBits(SCRATCH.part, (candidates) => {
      for (const terms of phraseTerms(of))
        readTerms(this.#snapshot, { terms, records }, { docs, candidates });
    });
  }

  /** Records of a word by itself in some documents of the table. */
  ofWord(word: Word, docs: DocSet): NodePositions {
    const records = new RecordList();
    const terms = wordTerms(word, PLAIN | OccurrenceClass.exact);
    docs.withBits(SCRATCH.universe, (candidates) =>
      readTerms(this.#snapshot, { terms, records }, { docs, candidates }),
    );
    return records.groupBySlot(this.#slots, this.docs.length);
  }
}
