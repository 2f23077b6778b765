/** Requests to an embedder for documents, and their results: plain data between threads. */
import type { EmbeddingInput } from '../../embedding/embedder.ts';
import type { DocumentInput } from '../../embedding/templates/embedded-content.ts';
import type { VectorList } from '../../segments/contract/document-entries.ts';

export interface EmbeddingRequest {
  readonly embedder: string;
  /** Ascending. */
  readonly docIds: Uint32Array;
  /** The ids' text. */
  readonly ids: readonly string[];
  /** Inputs of document `i` are `[ends[i - 1] ?? 0, ends[i])`; there may be none. */
  readonly ends: Uint32Array;
  readonly inputs: readonly EmbeddingInput[];
  /** Names of the fragments that the inputs are; empty = they are texts. */
  readonly fragments: readonly string[];
  /** Documents whose template failed; they have no inputs. */
  readonly unrendered: UnrenderedDocuments;
}

interface UnrenderedDocuments {
  readonly count: number;
  readonly first: { readonly id: string; readonly message: string } | null;
}

/** The vectors of such documents. */
export interface GeneratedVectors {
  readonly embedder: string;
  readonly dimensions: number;
  readonly docIds: Uint32Array;
  readonly ends: Uint32Array;
  /** One input after the other, in shared memory. */
  readonly values: Float32Array;
  /** Names of the fragments that the inputs were; empty = they were texts. */
  readonly fragments: readonly string[];
}

export class RequestBuilder {
  readonly #embedder: string;
  readonly #docIds: number[] = [];
  readonly #ids: string[] = [];
  readonly #ends: number[] = [];
  readonly #inputs: EmbeddingInput[] = [];
  readonly #fragments: string[] = [];
  #unrendered: UnrenderedDocuments = { count: 0, first: null };

  constructor(embedder: string) {
    this.#embedder = embedder;
  }

  add(docId: number, id: string, inputs: readonly DocumentInput[]): void {
    this.#docIds.push(docId);
    this.#ids.push(id);
    for (const { fragment, input } of inputs) {
      this.#inputs.push(input);
      if (fragment !== null) this.#fragments.push(fragment);
    }
    this.#ends.push(this.#inputs.length);
  }

  /** @param message of the template's error */
  addUnrendered(docId: number, id: string, message: string): void {
    const { count, first } = this.#unrendered;
    this.#unrendered = { count: count + 1, first: first ?? { id, message } };
    this.add(docId, id, []);
  }

  finish(): EmbeddingRequest {
    return {
      embedder: this.#embedder,
      docIds: Uint32Array.from(this.#docIds),
      ids: this.#ids,
      ends: Uint32Array.from(this.#ends),
      inputs: this.#inputs,
      fragments: this.#fragments,
      unrendered: this.#unrendered,
    };
  }
}

/** Looks up the vectors of documents in ascending DocId order. */
export class GeneratedRows {
  readonly #generated: GeneratedVectors;
  #at = 0;

  constructor(generated: GeneratedVectors) {
    this.#generated = generated;
  }

  /** undefined: none were made for the document. */
  of(docId: number): VectorList | undefined {
    const { docIds, ends, values, fragments, dimensions } = this.#generated;
    while (this.#at < docIds.length && (docIds[this.#at] as number) < docId) this.#at += 1;
    if (docIds[this.#at] !== docId) return undefined;
    const vectors: Float32Array[] = [];
    const first = this.#at === 0 ? 0 : (ends[this.#at - 1] as number);
    const end = ends[this.#at] as number;
    for (let row = first; row < end; row++)
      vectors.push(values.subarray(row * dimensions, (row + 1) * dimensions));
    return { vectors, fragments: fragments.slice(first, end) };
  }
}

export const generatedRows = (
  generated: readonly GeneratedVectors[],
): ReadonlyMap<string, GeneratedRows> =>
  new Map(generated.map((each) => [each.embedder, new GeneratedRows(each)]));
