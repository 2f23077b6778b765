/** The `k` most similar of the documents offered, as a heap with the worst at the root. */
import type { Neighbour } from './vectors.ts';

export class BestDocuments {
  readonly #k: number;
  readonly #similarities: number[] = [];
  readonly #docIds: number[] = [];

  constructor(k: number) {
    this.#k = k;
  }

  get count(): number {
    return this.#docIds.length;
  }

  /** Offer each document at most once. */
  offer(docId: number, similarity: number): void {
    const size = this.#docIds.length;
    if (size < this.#k) this.#raise(size, docId, similarity);
    else if (size > 0 && this.#isWorse(0, docId, similarity)) this.#sink(docId, similarity);
  }

  /** Best first, equal ones by ascending DocId. */
  ranked(): Neighbour[] {
    return this.#docIds
      .map((docId, place) => ({ docId, similarity: this.#similarities[place]! }))
      .sort((a, b) => b.similarity - a.similarity || a.docId - b.docId);
  }

  /** Whether the document at `place` ranks after the given one. */
  #isWorse(place: number, docId: number, similarity: number): boolean {
    const own = this.#similarities[place]!;
    return own < similarity || (own === similarity && this.#docIds[place]! > docId);
  }

  #set(place: number, docId: number, similarity: number): void {
    this.#docIds[place] = docId;
    this.#similarities[place] = similarity;
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#docIds[from]!, this.#similarities[from]!);
  }

  #raise(from: number, docId: number, similarity: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      // The worst stays at the root: a parent that ranks before the new entry moves down.
      if (this.#isWorse(parent, docId, similarity)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#set(place, docId, similarity);
  }

  /** Replaces the worst. */
  #sink(docId: number, similarity: number): void {
    const size = this.#docIds.length;
    let place = 0;
    for (let child = 1; child < size; child = place * 2 + 1) {
      const right = child + 1;
      if (right < size && this.#isWorse(right, this.#docIds[child]!, this.#similarities[child]!))
        child = right;
      if (!this.#isWorse(child, docId, similarity)) break;
      this.#move(child, place);
      place = child;
    }
    this.#set(place, docId, similarity);
  }
}
