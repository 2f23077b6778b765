/**
 * Occurrences of query nodes in the documents of one universe, grouped by document; read by the
 * position rules. A thread uses one table at a time, because the table owns the scratch slots.
 * Rules after the one that created the table share it.
 */
import { derivedTypoMask, nodeWithin, type QueryNode } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import { CACHE_KINDS, NODE_POSITIONS_BYTES_MAX } from '../snapshot/cache-kinds.ts';
import type { NodePositions } from '../snapshot/cached-values.ts';
import type { Word } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { isWordAlone } from './least-costs.ts';
import type { MatchSets } from './match-sets.ts';
import { loadNodes, type WantedNode } from './node-load.ts';
import { PLAIN, wordTerms } from './node-terms.ts';
import { CLASS_COUNT, OccurrenceClass, RecordList } from './occurrence-records.ts';
import { readTerms } from './read-terms.ts';
import type { Step } from './readings.ts';

/**
 * Records of all documents with a node may be cached if the node is in at least this many
 * documents, in at least one of `KEPT_DOC_ID_SHARE` DocIds, and the universe has at least one of
 * `KEPT_SHARE` of its documents.
 */
const KEPT_DOCUMENTS_MIN = 512;
const KEPT_DOC_ID_SHARE = 64;
const KEPT_SHARE = 4;
const OFFSET_BYTES = 4;
const RECORD_BYTES = 5;

const admittedByChoice = new Map<number, Uint8Array>();

/**
 * For each record class: 1 if the step's allowance admits it and it permits one of `uses`, else 0.
 * Must not be written to.
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

  /** True if all documents are in the table. */
  includes(docs: DocSet): boolean {
    return docs.without(this.#universe).isEmpty;
  }

  /** Greater than any DocId. */
  get #docIds(): number {
    return this.#snapshot.bitsetLength * 32;
  }

  /** Refilled after another table has used the scratch slots. */
  get #slots(): Int32Array {
    const { slots } = SCRATCH;
    return slots.of(this.#owner) ?? slots.fill(this.#owner, this.docs, this.#docIds);
  }

  slotOf(doc: number): number {
    return this.#slots[doc]!;
  }

  /** Slots of documents, which must be in the table. */
  slotsOf(docs: Uint32Array): Uint32Array {
    const slots = this.#slots;
    const out = TYPED_ARRAY_POOL.numbers(docs.length);
    for (let i = 0; i < docs.length; i++) out[i] = slots[docs[i]!]!;
    return out;
  }

  /** Rows of `positions` for documents of the table, from their slots. */
  static rowsOf(positions: NodePositions, docs: Uint32Array, slots: Uint32Array): Uint32Array {
    return positions.rows === 'docs' ? docs : slots;
  }

  /** Records with at least the step's allowed typos if they have been read, else null. */
  read({ node, typoMask }: Step): NodePositions | null {
    const known = this.#nodes.get(node.number);
    return known && (typoMask & derivedTypoMask(node) & ~known.typoMask) === 0
      ? known.positions
      : null;
  }

  /** Records with at least the step's allowed typos. */
  of(step: Step): NodePositions {
    this.prepare([step]);
    return this.#nodes.get(step.node.number)!.positions;
  }

  /** Reads the unread records of several steps at once. */
  prepare(steps: readonly Step[]): void {
    const wanted = new Map<number, WantedNode>();
    for (const step of steps) {
      if (this.read(step)) continue;
      const { node, typoMask } = step;
      const known = wanted.get(node.number) ?? this.#nodes.get(node.number);
      const all = (typoMask & derivedTypoMask(node)) | (known?.typoMask ?? 0);
      const kept = all === 1 ? this.#kept(node) : null;
      if (kept) this.#nodes.set(node.number, { typoMask: all, positions: kept });
      else wanted.set(node.number, { node, typoMask: all });
    }
    if (wanted.size === 0) return;
    const nodes = [...wanted.values()];
    loadNodes(this.#snapshot, this.#sets, this.#universe, nodes).forEach((records, i) => {
      const { node, typoMask } = nodes[i]!;
      const positions = records.groupBySlot(this.#slots, this.docs.length);
      this.#nodes.set(node.number, { typoMask, positions });
    });
  }

<<<<<<< HEAD
  /** Records of a single word in some documents of the table. */
  ofWord(word: Word, within: DocSet): NodePositions {
    const [records] = this.#withLoads(within, [
      (load) => load.word(word, PLAIN | OccurrenceClass.exact),
    ]);
    return records!.groupBySlot(this.#slots, this.docs.length);
=======
  /** Records of a word by itself in some documents of the table. */
  ofWord(word: Word, docs: DocSet): NodePositions {
    const records = new RecordList();
    const terms = wordTerms(word, PLAIN | OccurrenceClass.exact);
    docs.withBits(SCRATCH.universe, (candidates) =>
      readTerms(this.#snapshot, [{ terms, records }], { docs, candidates }),
    );
    return records.groupBySlot(this.#slots, this.docs.length);
>>>>>>> ffc90af (perf(search): pairs of words are looked for by a compiled scan)
  }

  /**
   * Records of all live documents without typos, from the query cache or added to it; else null.
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
    return whole.kept.get(CACHE_KINDS.nodePositions, positionsKey(node), (part) =>
      new PositionTable(part, this.#sets.within(part), part.live).#read(
        nodeWithin(node, whole, part),
      ),
    );
  }

  #all(node: QueryNode): NodePositions {
    const { kept } = this.#snapshot;
    return kept.make(CACHE_KINDS.nodePositions, positionsKey(node), () => this.#read(node));
  }

  /** Records of all live documents without typos. */
  #read(node: QueryNode): NodePositions {
    const { live } = this.#snapshot;
    const [records] = loadNodes(this.#snapshot, this.#sets, live, [{ node, typoMask: 1 }]);
    return records!.groupByDocument(this.#docIds);
  }
<<<<<<< HEAD

  #load(universe: DocSet, wanted: readonly WantedNode[]): RecordList[] {
    return this.#withLoads(
      universe,
      wanted.map(({ node, typoMask }) => (load: NodeLoad) => {
        load.synonyms(node);
        if (typoMask & 1) load.withoutTypos(node);
        if (typoMask & 2) load.withOneTypo(node);
        if (typoMask & 4) for (const word of node.derivations.twoTypos) load.word(word, 2 | PLAIN);
      }),
    );
  }

  #withLoads(universe: DocSet, runs: readonly ((load: NodeLoad) => void)[]): RecordList[] {
    const all = runs.map(() => new RecordList());
    universe.withBits(SCRATCH.universe, (candidates) => {
      const documents = { docs: universe, candidates };
      const wanted = runs.map((run, i) => {
        const load = new NodeLoad(this.#snapshot, this.#sets, documents, all[i]!);
        run(load);
        return load.wanted;
      });
      readTerms(this.#snapshot, wanted, documents);
    });
    return all;
  }
}

/** A node and the required numbers of typos, as bits. */
interface WantedNode {
  readonly node: QueryNode;
  readonly typoMask: number;
=======
>>>>>>> ffc90af (perf(search): pairs of words are looked for by a compiled scan)
}

const positionsKey = ({ kind, text, isFrequentPrefix, derivations }: QueryNode) => ({
  kind,
  text,
  isFrequentPrefix,
  completions: derivations.completions,
});
