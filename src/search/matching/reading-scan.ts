/**
 * Costs of a reading in some documents, by a compiled scan of their words. The terms are marked
 * once for all rules.
 */
import { PLACES_MAX, STEPS_MAX } from '../../engine/segment/forward-scan.ts';
import { derivedTypoMask } from '../query/query-node.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { markTerms, SCAN, type StepTerms, scanSegment } from './document-scan.ts';
import { nodePhrases, nodeTerms } from './node-terms.ts';
import { OccurrenceClass } from './occurrence-records.ts';
import { admittedClasses } from './position-table.ts';
import { listsAreLess } from './read-terms.ts';
import { areNeighbours, type Reading, type Step } from './readings.ts';

type ScanRanks = (ranks: Uint32Array, out: Int32Array, segment: number) => void;

/** The scans of one search. */
export class ReadingScan {
  readonly #snapshot: IndexSnapshot;
  readonly #isPossible: boolean;
  /** Whether fields fit into the costs and the bits of a scan. */
  readonly #takesFields: boolean;
  #reading: Reading = [];
  /** By segment; null when the reading cannot be scanned. */
  #terms: readonly StepTerms[] | null = null;
  /** Bit `n`: the steps `n` and `n + 1` are a pair. */
  #pairs = 0;

  constructor(snapshot: IndexSnapshot) {
    const { segments, everywhere } = snapshot;
    this.#snapshot = snapshot;
    this.#isPossible =
      segments.every(({ forward }) => forward !== null) &&
      everywhere.every(({ outside }) => outside === 0);
    this.#takesFields = snapshot.fields.paths.length <= PLACES_MAX;
  }

  /**
   * The sum of the costs of the reading's pairs in each of the documents: 0 to `PAIR_COSTS` a pair. null when
   * phrases stand for a step, when a segment has no forward index, or when posting lists are quicker
   * to read than the words.
   */
  pairCosts(reading: Reading, docs: Uint32Array): Int32Array | null {
    return this.#scan(reading, docs, (ranks, out) => SCAN.pairCosts(ranks, out));
  }

  /**
   * The sum over steps of the least cost of a word's place in each of the documents; null as above.
   * @param costsOf by bucket of positions
   */
  positionCosts(
    reading: Reading,
    docs: Uint32Array,
    costsOf: (step: Step) => Uint8Array,
  ): Int32Array | null {
    return this.#scan(reading, docs, (ranks, out) =>
      SCAN.placeCosts(ranks, { steps: reading.map(costsOf), byField: false }, out),
    );
  }

  /** The same by field. @param costOf at most 254; of a step in a field */
  fieldCosts(
    reading: Reading,
    docs: Uint32Array,
    costOf: (step: Step, field: number) => number,
  ): Int32Array | null {
    if (!this.#takesFields) return null;
    return this.#scan(reading, docs, (ranks, out, s) => {
      const { fieldMap } = this.#snapshot.everywhere[s]!;
      const { fields } = this.#snapshot.segments[s]!;
      const steps = reading.map((step) =>
        Uint8Array.from(fields, (_, local) => costOf(step, fieldMap[local]!)),
      );
      SCAN.placeCosts(ranks, { steps, byField: true }, out);
    });
  }

  /**
   * The fields of each of the documents that have the exact words of all steps, as bits; 0 when the
   * word of a step stands nowhere in its bucket of positions. null as above.
   */
  exactFields(reading: Reading, docs: Uint32Array, buckets: Uint8Array): Int32Array | null {
    if (!this.#takesFields) return null;
    return this.#scan(reading, docs, (ranks, out, s) => {
      const { fieldMap } = this.#snapshot.everywhere[s]!;
      SCAN.exactFields(ranks, buckets, out);
      for (let i = 0; i < out.length; i++) {
        let fields = 0;
        for (let rest = out[i]!; rest !== 0; rest &= rest - 1)
          fields |= 1 << fieldMap[31 - Math.clz32(rest & -rest)]!;
        out[i] = fields;
      }
    });
  }

  #scan(reading: Reading, docs: Uint32Array, scan: ScanRanks): Int32Array | null {
    const terms = this.#termsOf(reading);
    if (terms === null) return null;
    if (listsAreLess(this.#snapshot, terms, docs)) return null;
    const out = new Int32Array(docs.length);
    for (let s = 0; s < terms.length; s++) {
      const isMarked = markTerms(
        this.#snapshot.segments[s]!,
        terms[s]!,
        this.#pairs,
        (i, recordClass, mark) => addUses(reading, i, recordClass, mark),
      );
      if (!isMarked) return null;
      scanSegment(this.#snapshot, s, docs, (ranks, costs) => scan(ranks, costs, s), out);
    }
    return out;
  }

  /** By segment; null when the reading cannot be scanned. */
  #termsOf(reading: Reading): readonly StepTerms[] | null {
    const isSame =
      reading.length === this.#reading.length &&
      reading.every((step, i) => step === this.#reading[i]);
    if (isSame) return this.#terms;
    this.#reading = reading;
    this.#terms = null;
    if (!this.#isPossible || reading.length > STEPS_MAX) return null;
    const masks = reading.map(({ node, typoMask }) => typoMask & derivedTypoMask(node));
    if (reading.some(({ node }, i) => nodePhrases(node, masks[i]!).length > 0)) return null;
    const { segments } = this.#snapshot;
    const ofSteps = reading.map(({ node }, i) => nodeTerms(node, masks[i]!, segments.length));
    this.#terms = segments.map((_, s) => ofSteps.map((terms) => terms[s]!));
    this.#pairs = 0;
    for (let i = 1; i < reading.length; i++)
      if (areNeighbours(reading[i - 1]!, reading[i]!)) this.#pairs |= 1 << (i - 1);
    return this.#terms;
  }
}

/** Adds what a term of a step's class may be used for. */
function addUses(reading: Reading, i: number, recordClass: number, mark: number): void {
  const { left, right, reversed, place, exact } = OccurrenceClass;
  const { marks } = SCAN;
  const isAdmitted = (use: number): boolean => admittedClasses(reading[i]!, use)[recordClass] === 1;
  if (isAdmitted(place)) marks.place[mark]! |= 1 << i;
  if ((recordClass & exact) !== 0) marks.exact[mark]! |= 1 << i;
  const asLeft = isAdmitted(left | reversed) ? (1 << i) & marks.all : 0;
  const asRight = i > 0 && isAdmitted(right | reversed) ? (1 << (i - 1)) & marks.all : 0;
  if (recordClass & left) marks.left[mark]! |= asLeft;
  if (recordClass & right) marks.right[mark]! |= asRight;
  if ((recordClass & reversed) === 0) return;
  marks.reversedLeft[mark]! |= asLeft;
  marks.reversedRight[mark]! |= asRight;
}
