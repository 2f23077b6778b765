/**
 * Gathers lists of documents while the documents come one after the other, each with the numbers of
 * the lists that it belongs to.
 *
 * Memory: 12 bytes for each of up to two million entries; further entries are sorted into runs of
 * one to two bytes an entry.
 */
import { doubled } from '../../core/doubled.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { NumberList } from '../bytes/number-list.ts';
import { VarintCursor } from '../bytes/varint.ts';

const RUN_ENTRIES = 2 ** 21;

/** A run that is read: lists ascend, each with its number of documents and their ranks. */
interface OpenRun {
  readonly cursor: VarintCursor;
  readonly length: number;
  /** The list at the cursor; infinite after the last one. */
  list: number;
}

export class DocumentGroups {
  readonly #listCount: number;
  /** List and rank of each entry of the unsorted run. */
  readonly #lists = new NumberList();
  readonly #ranks = new NumberList();
  #rank = 0;
  readonly #runs: Uint8Array[] = [];

  constructor(listCount: number) {
    this.#listCount = listCount;
  }

  /** Adds the document to a list; at most once each. */
  add(list: number): void {
    this.#lists.push(list);
    this.#ranks.push(this.#rank);
  }

  endDocument(): void {
    this.#rank++;
    if (this.#lists.length >= RUN_ENTRIES) this.#endRun();
  }

  /**
   * Visits the lists that have documents in ascending order.
   * @param visit is given ascending ranks in `ranks[0 … count)`, which the next call overwrites
   */
  forEachList(visit: (list: number, ranks: Uint32Array, count: number) => void): void {
    this.#endRun();
    const runs = this.#runs.map(openRun);
    let ranks = new Uint32Array(1024);
    for (;;) {
      const list = runs.reduce((least, run) => Math.min(least, run.list), Number.POSITIVE_INFINITY);
      if (list === Number.POSITIVE_INFINITY) return;
      let count = 0;
      for (const run of runs) {
        if (run.list !== list) continue;
        const { cursor } = run;
        const end = count + cursor.next();
        while (end > ranks.length) ranks = doubled(ranks);
        for (let rank = 0; count < end; ) ranks[count++] = rank += cursor.next();
        toNextList(run);
      }
      visit(list, ranks, count);
    }
  }

  /** Counting sort of the entries by list; documents stay in order. */
  #endRun(): void {
    const { items: lists, length } = this.#lists;
    if (length === 0) return;
    const ends = new Uint32Array(this.#listCount + 1);
    for (let i = 0; i < length; i++) ends[lists[i]! + 1]!++;
    for (let list = 0; list < this.#listCount; list++) ends[list + 1]! += ends[list]!;
    const ranks = new Uint32Array(length);
    for (let i = 0; i < length; i++) ranks[ends[lists[i]!]!++] = this.#ranks.items[i]!;
    const out = new ByteBuffer(2 * length);
    let before = -1;
    for (let list = 0, at = 0; list < this.#listCount; list++) {
      const end = ends[list]!;
      if (at === end) continue;
      out.pushVarint(list - before - 1);
      out.pushVarint(end - at);
      for (let rank = 0; at < end; rank = ranks[at++]!) out.pushVarint(ranks[at]! - rank);
      before = list;
    }
    this.#runs.push(out.view().slice());
    this.#lists.length = this.#ranks.length = 0;
  }
}

function openRun(bytes: Uint8Array): OpenRun {
  const run = { cursor: new VarintCursor(bytes), length: bytes.length, list: -1 };
  toNextList(run);
  return run;
}

function toNextList(run: OpenRun): void {
  const { cursor, length } = run;
  run.list = cursor.position < length ? run.list + 1 + cursor.next() : Number.POSITIVE_INFINITY;
}
