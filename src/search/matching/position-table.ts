/**
 * Occurrences of query nodes in the documents of one universe, grouped by document: what the
 * position rules read. One table is in use at a time in a thread (it owns the scratch slots); rules
 * below the one that made it share it.
 */
import { derivedTypoMask, nodeWithin, type QueryNode } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import { SEARCH_SPACE } from '../sets/search-space.ts';
import type { Phrase, Word } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { KEPT, NODE_POSITIONS_BYTES_MAX } from '../snapshot/kept-kinds.ts';
import type { NodePositions } from '../snapshot/kept-values.ts';
import { isWordAlone } from './least-costs.ts';
import type { MatchSets } from './match-sets.ts';
import { CLASS_COUNT, OccurrenceClass, RecordList } from './occurrence-records.ts';
import type { Step } from './readings.ts';
import { dropDead } from './term-occurrences.ts';

const PLAIN =
  OccurrenceClass.left | OccurrenceClass.right | OccurrenceClass.reversed | OccurrenceClass.place;

/**
 * A node in at least this many documents, and in one of so many DocIds, may keep the records of all
 * of them for later searches …
 */
const KEPT_DOCUMENTS_MIN = 512;
const KEPT_DOC_ID_SHARE = 64;
/** … when the universe holds at least one in this many of them. */
const KEPT_SHARE = 4;
const OFFSET_BYTES = 4;
const RECORD_BYTES = 5;

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
      if (exactOnly) return recordClass & (OccurrenceClass.exact | OccurrenceClass.kept) ? 1 : 0;
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

  /** Whether the documents are all in the table. */
  includes(docs: DocSet): boolean {
    return docs.without(this.#universe).isEmpty;
  }

  /** More than any DocId. */
  get #docIds(): number {
    return this.#snapshot.bitsetLength * 32;
  }

  /** Filled anew after another table has used them. */
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
    const out = SEARCH_SPACE.numbers(docs.length);
    for (let i = 0; i < docs.length; i++) out[i] = slots[docs[i]!]!;
    return out;
  }

  /** Rows of `positions` for documents of the table, given their slots. */
  static rowsOf(positions: NodePositions, docs: Uint32Array, slots: Uint32Array): Uint32Array {
    return positions.rows === 'docs' ? docs : slots;
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
    const read = this.read(step);
    if (read) return read;
    const { node, typoMask } = step;
    const all = (typoMask & derivedTypoMask(node)) | (this.#nodes.get(node.number)?.typoMask ?? 0);
    const positions =
      (all === 1 ? this.#kept(node) : null) ??
      this.#load(this.#universe, node, all).groupBySlot(this.#slots, this.docs.length);
    this.#nodes.set(node.number, { typoMask: all, positions });
    return positions;
  }

  /** Records of a word by itself in some documents of the table. */
  ofWord(word: Word, within: DocSet): NodePositions {
    const records = new RecordList();
    this.#withLoad(within, records, (load) => load.word(word, PLAIN | OccurrenceClass.exact));
    return records.groupBySlot(this.#slots, this.docs.length);
  }

  /**
   * Records of all living documents without typos, from earlier searches or worth keeping for later
   * ones; else null.
   */
  #kept(node: QueryNode): NodePositions | null {
    if (!isWordAlone(node)) return null;
    const known = this.#fromEarlier(node);
    if (known) return known;
    const { count } = this.#sets.withTypos(node, 0);
    if (!this.#isFrequent(node) || this.#universe.count * KEPT_SHARE < count) return null;
    const bytesMin = this.#docIds * OFFSET_BYTES + count * RECORD_BYTES;
    return bytesMin > NODE_POSITIONS_BYTES_MAX ? null : this.#all(node);
  }

  #isFrequent(node: QueryNode): boolean {
    return (
      this.#sets.withTypos(node, 0).count >=
      Math.max(KEPT_DOCUMENTS_MIN, this.#docIds / KEPT_DOC_ID_SHARE)
    );
  }

  #fromEarlier(node: QueryNode): NodePositions | undefined {
    const whole = this.#snapshot;
    return whole.kept.get(KEPT.nodePositions, positionsKey(node), (part) =>
      new PositionTable(part, this.#sets.within(part), part.live).#read(
        nodeWithin(node, whole, part),
      ),
    );
  }

  #all(node: QueryNode): NodePositions {
    const { kept } = this.#snapshot;
    return kept.make(KEPT.nodePositions, positionsKey(node), () => this.#read(node));
  }

  /** Records of all living documents without typos. */
  #read(node: QueryNode): NodePositions {
    return this.#load(this.#snapshot.live, node, 1).groupByDocument(this.#docIds);
  }

  #load(universe: DocSet, node: QueryNode, typoMask: number): RecordList {
    const records = new RecordList();
    this.#withLoad(universe, records, (load) => {
      load.synonyms(node);
      if (typoMask & 1) load.withoutTypos(node);
      if (typoMask & 2) load.withOneTypo(node);
      if (typoMask & 4) for (const word of node.derivations.twoTypos) load.word(word, 2 | PLAIN);
    });
    return records;
  }

  #withLoad(universe: DocSet, records: RecordList, run: (load: NodeLoad) => void): void {
    universe.withBits(SCRATCH.universe, (candidates) =>
      run(new NodeLoad(this.#snapshot, this.#sets, universe, candidates, records)),
    );
  }
}

const positionsKey = ({ kind, text, isFrequentPrefix, derivations }: QueryNode) => ({
  kind,
  text,
  isFrequentPrefix,
  completions: derivations.completions,
});

/** So few documents are looked up in lists of words one after the other … */
const LISTED_MAX = 256;
/** … or one in so many of all. */
const LISTED_SHARE = 256;

const listedWhenFew = (docs: DocSet): Uint32Array | null =>
  docs.count <= Math.max(LISTED_MAX, (docs.bitsetLength * 32) / LISTED_SHARE)
    ? docs.toList()
    : null;

class NodeLoad {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #universe: DocSet;
  /** The universe as bits, and as a list when it is small. */
  readonly #candidates: Uint32Array;
  readonly #listed: Uint32Array | null;
  readonly #records: RecordList;

  constructor(
    snapshot: IndexSnapshot,
    sets: MatchSets,
    universe: DocSet,
    candidates: Uint32Array,
    records: RecordList,
  ) {
    this.#snapshot = snapshot;
    this.#sets = sets;
    this.#universe = universe;
    this.#candidates = candidates;
    this.#listed = listedWhenFew(universe);
    this.#records = records;
  }

  withoutTypos(node: QueryNode): void {
    const { exact, completions, phrase } = node.derivations;
    if (exact) this.word(exact, PLAIN | (node.kind === 'word' ? OccurrenceClass.exact : 0));
    if (completions) {
      const recordClass = node.isFrequentPrefix
        ? (PLAIN & ~OccurrenceClass.reversed) | OccurrenceClass.kept
        : PLAIN;
      completions.bounds.forEach((bound, i) => {
        if ((i & 1) === 1) return;
        // The prefix itself is the first word of its range; its own records are already there.
        const lo = exact?.ordinals[i >>> 1] === bound ? bound + 1 : bound;
        const end = completions.bounds[i + 1]!;
        this.#range(i >>> 1, lo, end, this.#candidates, this.#listed, recordClass);
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
    this.#wordWithin(word, this.#candidates, this.#listed, recordClass);
  }

  #wordWithin(
    word: Word,
    candidates: Uint32Array,
    listed: Uint32Array | null,
    recordClass: number,
  ): void {
    for (let s = 0; s < word.ordinals.length; s++) {
      const ordinal = word.ordinals[s]!;
      if (ordinal >= 0) this.#range(s, ordinal, ordinal + 1, candidates, listed, recordClass);
    }
  }

  /**
   * A phrase stands with its first word to its left neighbour and with its last word to its right
   * one.
   */
  #phrase(phrase: Phrase, baseClass: number): void {
    const matching = this.#universe.retain(this.#sets.phrase(phrase));
    const { slots } = phrase;
    const firstWord = slots.find((word) => word !== null)!;
    const rightClass = slots[0] ? OccurrenceClass.right : 0;
    const last = slots[slots.length - 1];
    const listed = listedWhenFew(matching);
    const firstClass = baseClass | OccurrenceClass.place | rightClass;
    matching.withBits(SCRATCH.part, (candidates) => {
      this.#wordWithin(firstWord, candidates, listed, firstClass);
      if (last) this.#wordWithin(last, candidates, listed, baseClass | OccurrenceClass.left);
    });
  }

  #range(
    s: number,
    lo: number,
    hi: number,
    candidates: Uint32Array,
    listed: Uint32Array | null,
    recordClass: number,
  ): void {
    if (lo >= hi) return;
    const { occurrences } = SCRATCH;
    const { fieldMap } = this.#snapshot.everywhere[s]!;
    occurrences.length = 0;
    const segment = this.#snapshot.segments[s]!;
    if (hi - lo === 1) segment.readOccurrences(lo, candidates, fieldMap, occurrences, listed);
    else segment.readRangeOccurrences(lo, hi, candidates, fieldMap, occurrences, listed);
    const dead = this.#snapshot.dead[s]!;
    if (dead !== null) dropDead(occurrences, dead);
    this.#records.append(occurrences, recordClass);
  }
}
