/**
 * Finds how near two words stand to each other in some documents, from their posting lists, by a compiled
 * kernel. The occurrences of the shorter lists are held by document, those of the others are compared
 * with them as they are read. Of long lists only the blocks with wanted documents are copied into the
 * kernel's memory.
 */
import { KernelSpace } from '../bytes/kernel-space.ts';
import { POSTING_KERNELS_BASE64 } from './compiled-kernels.ts';
import type { OpenList } from './open-list.ts';

/** Cost of a pair that is nowhere near. Nearer ones cost their distance less one, or their distance if reversed. */
export const PAIR_COSTS = 3;

/** Documents that are looked at together, and the share of them if they have too many occurrences. */
const DOCUMENTS_MAX = 1 << 14;
const FEWER = 4;
/** Bytes and lists that are copied at once, roughly. */
const COPIED_BYTES = 1 << 18;
const COPIED_LISTS = 1 << 12;
/** Of longer lists, in bytes, the blocks with wanted documents are copied, of others everything. */
const WHOLE_LIST_BYTES = 1 << 14;
/** Blocks that are copied at once. */
const COPIED_BLOCKS = 1 << 10;
/** Words of a block in the table of the kernel. */
const TABLE_WORDS = 5;
/** Bytes of a block, or of a list without blocks; and occurrences that are held. Memory takes room once written. */
const COPIED_MAX = 1 << 23;
const HELD_MAX = 1 << 19;

/** Lists `[lo, hi)`, and the permitted uses of their words as one side of the pair. */
export interface PairTerms {
  readonly lo: number;
  readonly hi: number;
  /** In the order of the query. */
  readonly isNext: boolean;
  /** Against it. */
  readonly isReversed: boolean;
}

export interface TermPair {
  readonly left: readonly PairTerms[];
  readonly right: readonly PairTerms[];
}

/** Addresses are of areas; the kernel's comments explain them. */
interface PostingKernels {
  begin(
    scratch: number,
    masks: number,
    wideBits: number,
    bits: number,
    firstSlots: number,
    firstDoc: number,
    lastDoc: number,
    count: number,
  ): void;
  beginPairs(
    costs: number,
    offsets: number,
    ends: number,
    room: number,
    heldSlots: number,
    heldKeys: number,
    heldUses: number,
    sortedKeys: number,
    sortedUses: number,
    copiedEnd: number,
  ): void;
  want(docs: number): void;
  hold(): void;
  compare(heldIsLeft: number, farCost: number): number;
  addCosts(sums: number): number;
  takeLists(origin: number, offsets: number, count: number, uses: number): void;
  takeBlocks(table: number, count: number, mask: number, uses: number): void;
  takeRest(
    from: number,
    count: number,
    before: number,
    isSingle: number,
    mask: number,
    uses: number,
  ): void;
}

const SCRATCH_BYTES = 2048;

export class PairKernel {
  readonly #space = new KernelSpace<PostingKernels>(POSTING_KERNELS_BASE64);
  #list!: OpenList;
  #docs: Uint32Array = new Uint32Array(0);
  /** Addresses of the copied bytes, of the list offsets or the table of blocks, and of the sums of costs. */
  #copied = 0;
  #table = 0;
  #sums = 0;
  #isTooMuch = false;

  /**
   * Writes the sum of the costs of the pairs in each document; false when that would take too much
   * memory or time.
   * @param docs ascending
   */
  costs(list: OpenList, docs: Uint32Array, pairs: readonly TermPair[], out: Int32Array): boolean {
    this.#list = list;
    this.#isTooMuch = false;
    for (let from = 0, count = DOCUMENTS_MAX; from < docs.length; ) {
      const some = docs.subarray(from, from + count);
      if (this.#readCosts(some, pairs)) {
        const sums = this.#sums / 4;
        for (let i = 0; i < some.length; i++) out[from + i] = this.#space.words[sums + i]!;
        from += count;
      } else if (this.#isTooMuch || some.length === 1) return false;
      else count = Math.ceil(some.length / FEWER);
    }
    return true;
  }

  /** False when there was no room for all occurrences that have to be held. */
  #readCosts(docs: Uint32Array, pairs: readonly TermPair[]): boolean {
    this.#docs = docs;
    this.#layOut();
    const sums = this.#sums / 4;
    this.#space.words.fill(0, sums, sums + docs.length);
    return pairs.every((pair) => this.#addPair(pair));
  }

  #addPair({ left, right }: TermPair): boolean {
    const heldIsLeft = this.#bytesOf(left) <= this.#bytesOf(right);
    this.#space.run.hold();
    for (const terms of heldIsLeft ? left : right) this.#take(terms);
    if (this.#space.run.compare(heldIsLeft ? 1 : 0, PAIR_COSTS) === 0) return false;
    for (const terms of heldIsLeft ? right : left) this.#take(terms);
    return this.#space.run.addCosts(this.#sums) === 1 && !this.#isTooMuch;
  }

  #bytesOf(terms: readonly PairTerms[]): number {
    const { offsets } = this.#list;
    return terms.reduce((sum, { lo, hi }) => sum + offsets[hi]! - offsets[lo]!, 0);
  }

  #layOut(): void {
    const docs = this.#docs;
    const { masks, wideBits } = this.#list;
    const count = docs.length;
    const first = docs[0]!;
    const last = docs[count - 1]!;
    const words = (last >>> 5) - (first >>> 5) + 2;
    const a = this.#space.areas([
      SCRATCH_BYTES,
      masks.length * 4,
      count * 4,
      words * 4,
      words * 4,
      count,
      count * 4 + 4,
      count * 4,
      count * 4,
      HELD_MAX * 4,
      HELD_MAX * 4,
      HELD_MAX,
      HELD_MAX * 4,
      HELD_MAX,
      COPIED_LISTS * 4 + COPIED_BLOCKS * TABLE_WORDS * 4,
      COPIED_MAX + 64,
    ]);
    this.#sums = a[8];
    this.#table = a[14];
    this.#copied = a[15];
    const { run } = this.#space;
    run.begin(a[0], a[1], wideBits, a[3], a[4], first, last, count);
    run.beginPairs(
      a[5],
      a[6],
      a[7],
      HELD_MAX,
      a[9],
      a[10],
      a[11],
      a[12],
      a[13],
      a[15] + COPIED_MAX + 64,
    );
    this.#space.words.set(masks, a[1] / 4);
    this.#space.words.set(docs, a[2] / 4);
    run.want(a[2]);
  }

  #take({ lo, hi, isNext, isReversed }: PairTerms): void {
    const uses = (isNext ? 1 : 0) | (isReversed ? 2 : 0);
    if (uses === 0) return;
    const { offsets } = this.#list;
    for (let list = lo; list < hi; ) {
      const isLong = offsets[list + 1]! - offsets[list]! > WHOLE_LIST_BYTES;
      if (!isLong || this.#list.open(list).blockCount === 0) list = this.#takeWhole(list, hi, uses);
      else {
        this.#takeLong(uses);
        list++;
      }
    }
  }

  /** Reads lists up to the next long one, or as many as are copied at once; returns the list after them. */
  #takeWhole(lo: number, hi: number, uses: number): number {
    const { offsets, cursor } = this.#list;
    const start = offsets[lo]! & ~3;
    const most = Math.min(hi, lo + COPIED_LISTS);
    let end = lo + 1;
    while (
      end < most &&
      offsets[end + 1]! - start <= COPIED_BYTES &&
      offsets[end + 1]! - offsets[end]! <= WHOLE_LIST_BYTES
    )
      end++;
    if (offsets[end]! - start > COPIED_MAX) {
      this.#isTooMuch = true;
      return hi;
    }
    this.#space.bytes.set(cursor.bytes.subarray(start, offsets[end]!), this.#copied);
    this.#space.words.set(offsets.subarray(lo, end), this.#table / 4);
    this.#space.run.takeLists(this.#copied - start, this.#table, end - lo, uses);
    return end;
  }

  /** Reads the blocks with wanted documents. */
  #takeLong(uses: number): void {
    const list = this.#list;
    let copied = 0;
    let inTable = 0;
    const ranges = this.#wantedBlocks();
    for (let i = 0; i < ranges.length; i += 2) {
      const from = ranges[i]!;
      const end = ranges[i + 1]!;
      const size = sizeOf(list, from, end);
      if (
        inTable + end - from > COPIED_BLOCKS ||
        (copied > 0 && copied + size > 2 * COPIED_BYTES)
      ) {
        this.#space.run.takeBlocks(this.#table, inTable, list.mask, uses);
        copied = inTable = 0;
      }
      if (size > COPIED_MAX) {
        this.#isTooMuch = true;
        return;
      }
      this.#copyBlocks(from, end, copied, inTable);
      copied += size;
      inTable += end - from;
    }
    this.#space.run.takeBlocks(this.#table, inTable, list.mask, uses);
    this.#takeRest(uses);
  }

  /** Blocks with wanted documents, as half-open ranges of few enough to be copied together. */
  #wantedBlocks(): number[] {
    const docs = this.#docs;
    const list = this.#list;
    const { blockCount } = list;
    const ranges: number[] = [];
    let from = -1;
    let end = -1;
    let next = 0;
    for (let block = 0; block < blockCount && next < docs.length; block++) {
      const last = list.lastOf(block);
      if (last < docs[next]!) continue;
      while (next < docs.length && docs[next]! <= last) next++;
      const isFurther =
        end === block && block - from < COPIED_BLOCKS && sizeOf(list, from, block) < COPIED_BYTES;
      if (isFurther) ranges[ranges.length - 1] = block + 1;
      else {
        from = block;
        ranges.push(block, block + 1);
      }
      end = block + 1;
    }
    return ranges;
  }

  #copyBlocks(from: number, end: number, copied: number, inTable: number): void {
    const list = this.#list;
    const { words } = list;
    const [docsFrom, docsEnd] = [list.docsAt(from), list.docsAt(end)];
    const [keysFrom, keysEnd] = [list.keysAt(from), list.keysAt(end)];
    const into = this.#space.words;
    const docsTo = (this.#copied + copied) / 4;
    const keysTo = docsTo + docsEnd - docsFrom;
    into.set(words.subarray(docsFrom, docsEnd), docsTo);
    into.set(words.subarray(keysFrom, keysEnd), keysTo);
    for (let block = from, at = this.#table / 4 + inTable * TABLE_WORDS; block < end; block++) {
      into[at++] = list.lastOf(block);
      into[at++] = list.lastOf(block - 1);
      into[at++] = (docsTo + list.docsAt(block) - docsFrom) * 4;
      into[at++] = list.encodingOf(block);
      into[at++] = (keysTo + list.keysAt(block) - keysFrom) * 4;
    }
  }

  /** Reads the last documents of a long list. */
  #takeRest(uses: number): void {
    const list = this.#list;
    const { blockCount, isSingle, mask, runCount } = list;
    const before = list.lastOf(blockCount - 1);
    if (runCount === 0 || this.#docs.at(-1)! <= before) return;
    const from = list.toRun().position / 4;
    const end = list.docsAt(0);
    if ((end - from) * 4 > COPIED_MAX) {
      this.#isTooMuch = true;
      return;
    }
    this.#space.words.set(list.words.subarray(from, end), this.#copied / 4);
    this.#space.run.takeRest(this.#copied, runCount, before, isSingle ? 1 : 0, mask, uses);
  }
}

/** Bytes of blocks. */
const sizeOf = (list: OpenList, from: number, end: number): number =>
  4 * (list.docsAt(end) - list.docsAt(from) + list.keysAt(end) - list.keysAt(from));

let kernel: PairKernel | null = null;

/** One in each thread. */
export function threadPairKernel(): PairKernel {
  kernel ??= new PairKernel();
  return kernel;
}
