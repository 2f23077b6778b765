/** The member `_vectors` of documents: one entry per embedder (api.md 12.6). */

import { limits } from '../../core/limits.ts';
import { MemoMap } from '../../core/memo-map.ts';
import { readFloats } from '../../engine/json/float-value.ts';
import { stringEquals } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { memberOf } from '../../engine/json/tape-members.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';

export interface VectorList {
  readonly vectors: readonly Float32Array[];
  /**
   * Names of the embedder's fragments that produced the vectors, in order; empty = no fragments.
   */
  readonly fragments: readonly string[];
}

/** A document's entry for one embedder, as given or as computed. */
export interface VectorEntry extends VectorList {
  readonly hasVectors: boolean;
  /** True if the embedder recomputes the vectors when the document changes. */
  readonly regenerate: boolean;
  /**
   * True: no vectors given, so the previous vectors stay or the embedder computes them. False
   * without vectors: the document has none.
   */
  readonly isOpen: boolean;
}

/** A computed entry. */
export const entryOf = ({ vectors, fragments }: VectorList, regenerate: boolean): VectorEntry => ({
  hasVectors: vectors.length > 0,
  vectors,
  fragments,
  regenerate,
  isOpen: false,
});

/** An embedder that documents may name. */
export interface NamedEmbedder {
  readonly name: string;
  readonly dimensions: number;
}

const utf8 = new TextEncoder();

const FIELD_BYTES = utf8.encode(VECTORS_FIELD);
const EMBEDDINGS = utf8.encode('embeddings');
const REGENERATE = utf8.encode('regenerate');

/** The node of a document's `_vectors`, or −1. */
export const vectorsNode = (tape: JsonTape): number => memberOf(tape, 0, FIELD_BYTES);

/** More embedders than most indexes have. */
const NAMES_MAX = 64;

/** Reads the entries of one document after another. */
export class DocumentEntries {
  #tape: JsonTape | null = null;
  /** The node of `_vectors`, or −1; null until it is first looked for. */
  #vectors: number | null = null;
  readonly #known = new Map<string, VectorEntry | null>();
  /** UTF-8 of embedder names. */
  readonly #nameBytes = new MemoMap<string, Uint8Array>(NAMES_MAX);

  /** @param tape holds a document that has passed `checkEntries`; valid until the next call */
  begin(tape: JsonTape): this {
    this.#tape = tape;
    this.#vectors = null;
    this.#known.clear();
    return this;
  }

  /** Node of the document's entry for the embedder, or −1. */
  node(name: string): number {
    if (this.#tape === null) return -1;
    this.#vectors ??= vectorsNode(this.#tape);
    if (this.#vectors < 0) return -1;
    const bytes = this.#nameBytes.getOrCompute(name, (text) => utf8.encode(text));
    return memberOf(this.#tape, this.#vectors, bytes);
  }

  /** null if the document has no entry. */
  get({ name, dimensions }: NamedEmbedder): VectorEntry | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const node = this.node(name);
    const said =
      node < 0 || this.#tape === null ? null : new WrittenEntry(this.#tape, node, dimensions);
    this.#known.set(name, said);
    return said;
  }

  /** Overrides the document's own entry. */
  set(name: string, entry: VectorEntry): void {
    this.#known.set(name, entry);
  }
}

/**
 * An entry in a document: vectors or null, or `{embeddings, regenerate}`. Vectors are read on first
 * use, while the tape holds the document.
 */
class WrittenEntry implements VectorEntry {
  readonly fragments = [];
  readonly regenerate: boolean;
  readonly isOpen: boolean;
  readonly #tape: JsonTape;
  /** Arrays of numbers. */
  readonly #rows: readonly number[];
  readonly #dimensions: number;
  #vectors: readonly Float32Array[] | null = null;

  constructor(tape: JsonTape, entry: number, dimensions: number) {
    const { embeddings, regenerate, isExplicit } = formOf(tape, entry);
    const isNothing = embeddings < 0 || tape.kind(embeddings) === JsonKind.null;
    const rows = isNothing ? [] : rowsOf(tape, embeddings);
    const isSized = rows.every((row) => tape.next(row) - row - 1 === dimensions);
    this.#tape = tape;
    this.#rows = isSized ? rows.slice(0, limits.vectorsPerDocumentMax) : [];
    this.#dimensions = dimensions;
    this.regenerate = regenerate;
    // An empty list says that there are no vectors until the document changes.
    this.isOpen = !this.hasVectors && (isNothing ? isExplicit : regenerate && rows.length > 0);
  }

  get hasVectors(): boolean {
    return this.#rows.length > 0;
  }

  get vectors(): readonly Float32Array[] {
    this.#vectors ??= this.#rows.map((row) => this.#read(row));
    return this.#vectors;
  }

  #read(row: number): Float32Array {
    const vector = new Float32Array(this.#dimensions);
    if (!readFloats(this.#tape, row, vector))
      throw new Error('a document came to be written with a vector that was not checked');
    return vector;
  }
}

/** Nodes of the number arrays in the value of embeddings. */
export function rowsOf(tape: JsonTape, embeddings: number): readonly number[] {
  const items = embeddings + 1;
  const isArray = tape.kind(embeddings) === JsonKind.array;
  if (!isArray || tape.next(embeddings) === items) return [];
  return tape.kind(items) === JsonKind.array ? elementsOf(tape, embeddings) : [embeddings];
}

function elementsOf(tape: JsonTape, array: number): readonly number[] {
  const elements: number[] = [];
  const after = tape.next(array);
  for (let node = array + 1; node < after; node = tape.next(node)) elements.push(node);
  return elements;
}

interface EntryForm {
  /** Node, or −1. */
  readonly embeddings: number;
  readonly regenerate: boolean;
  /** True for an object with `regenerate` and without unknown members. */
  readonly isExplicit: boolean;
}

export function formOf(tape: JsonTape, entry: number): EntryForm {
  const flag = memberOf(tape, entry, REGENERATE);
  const embeddings = memberOf(tape, entry, EMBEDDINGS);
  const kind = flag < 0 ? JsonKind.null : tape.kind(flag);
  const isExplicit =
    (kind === JsonKind.true || kind === JsonKind.false) && hasOnlyEntryMembers(tape, entry);
  return isExplicit
    ? { embeddings, regenerate: kind === JsonKind.true, isExplicit }
    : { embeddings: entry, regenerate: false, isExplicit };
}

function hasOnlyEntryMembers(tape: JsonTape, object: number): boolean {
  const after = tape.next(object);
  for (let key = object + 1; key < after; key = tape.next(key + 1)) {
    const isKnown = stringEquals(tape, key, EMBEDDINGS) || stringEquals(tape, key, REGENERATE);
    if (!isKnown) return false;
  }
  return true;
}
