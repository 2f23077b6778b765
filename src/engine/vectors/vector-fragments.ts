/**
 * The name of the document fragment from which each vector of a file was made. On disk (section
 * `fragmentNames` and `fragments` of vectors-format.ts): the names as a JSON array, and a number a
 * vector, by ordinal: 0 = of none, else one more than the place of its name.
 */

import { jsonBytes } from '../../core/json.ts';
import type { SectionData } from '../segment/segment-format.ts';
import { setBit } from '../sets/bitset.ts';
import type { VectorOwners } from './vector-owners.ts';
import { VectorsSection } from './vectors-format.ts';

/** Collects fragments; takes no memory while no vector has one. */
export class FragmentList {
  readonly #places = new Map<string, number>();
  #numbers: number[] = [];

  get memoryBytes(): number {
    return this.#numbers.length * 8;
  }

  /** @param ordinal above those before @param name null = of none */
  set(ordinal: number, name: string | null): void {
    if (name === null) return;
    const place = this.#places.get(name) ?? this.#places.size;
    this.#places.set(name, place);
    while (this.#numbers.length < ordinal) this.#numbers.push(0);
    this.#numbers.push(place + 1);
  }

  sections(vectorCount: number): [number, SectionData][] {
    if (this.#numbers.length === 0) return [];
    const numbers = new Uint16Array(vectorCount);
    numbers.set(this.#numbers);
    const names = jsonBytes([...this.#places.keys()]);
    return [
      [VectorsSection.fragmentNames, names],
      [VectorsSection.fragments, numbers],
    ];
  }
}

/** The fragments of a file that has some. */
export class VectorFragments {
  readonly #names: readonly string[];
  readonly #numbers: Uint16Array;

  constructor(names: readonly string[], numbers: Uint16Array) {
    this.#names = names;
    this.#numbers = numbers;
  }

  nameOf(ordinal: number): string | null {
    return this.#names[this.#numbers[ordinal]! - 1] ?? null;
  }

  /** Bitset of the documents with a vector of that fragment. */
  documentsOf(name: string, owners: VectorOwners): Uint32Array {
    const bits = new Uint32Array(owners.documents.length);
    const wanted = this.#names.indexOf(name) + 1;
    if (wanted === 0) return bits;
    owners.forEachRank(null, (rank) => {
      const end = owners.startOf(rank + 1);
      for (let ordinal = owners.startOf(rank); ordinal < end; ordinal++)
        if (this.#numbers[ordinal] === wanted) setBit(bits, owners.ranks.docIdAt(rank));
    });
    return bits;
  }

  /** A number that matches no name; null = there is none. */
  get strayNumber(): number | null {
    return this.#numbers.find((number) => number > this.#names.length) ?? null;
  }
}
