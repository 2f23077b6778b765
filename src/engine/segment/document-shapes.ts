/**
 * The sets of top-level field names that documents of a segment have.
 *
 *   shapes           JSON: array of arrays of names, each in the order of the first document that has the set
 *   documentShapes   number of each document's set, by rank: u8, u16 or u32, the narrowest that holds all numbers
 */
import { NumberList } from '../bytes/number-list.ts';
import { encodeUtf8 } from '../bytes/utf8.ts';
import type { SectionData } from './segment-format.ts';

export class DocumentShapesWriter {
  readonly #shapes: (readonly string[])[] = [];
  /** By names in sorted order, and by names in the order of a document. */
  readonly #bySet = new Map<string, number>();
  readonly #byOrder = new Map<string, number>();
  readonly #numbers = new NumberList();

  get memoryBytes(): number {
    return this.#numbers.items.byteLength;
  }

  /** Adds the next document. */
  add(names: readonly string[]): void {
    const key = names.join('\u0000');
    this.#numbers.push(this.#byOrder.get(key) ?? this.#register(key, names));
  }

  #register(key: string, names: readonly string[]): number {
    const setKey = JSON.stringify([...new Set(names)].sort());
    let number = this.#bySet.get(setKey);
    if (number === undefined) {
      number = this.#shapes.push([...new Set(names)]) - 1;
      this.#bySet.set(setKey, number);
    }
    this.#byOrder.set(key, number);
    return number;
  }

  finish(): { readonly shapes: Uint8Array; readonly documentShapes: SectionData } {
    const numbers = this.#numbers.view();
    const shapes = encodeUtf8(JSON.stringify(this.#shapes));
    if (this.#shapes.length <= 0x100) return { shapes, documentShapes: Uint8Array.from(numbers) };
    if (this.#shapes.length <= 0x10000)
      return { shapes, documentShapes: Uint16Array.from(numbers) };
    return { shapes, documentShapes: numbers };
  }
}

/** The view whose element width fits `count` documents, or null if none fits. */
export function viewDocumentShapes(section: Uint8Array, count: number): SectionData | null {
  if (section.length === count) return section;
  if (section.length === count * 2)
    return new Uint16Array(section.buffer, section.byteOffset, count);
  if (section.length === count * 4)
    return new Uint32Array(section.buffer, section.byteOffset, count);
  return null;
}
