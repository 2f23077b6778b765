/**
 * The vectors of the documents that a batch writes (api.md 12.6): `InputCollector` finds the inputs
 * to embed, `CompletedDocuments` gives every document its final vectors.
 */
import { type StoredVectors, vectorAction } from '../../embedding/vector-action.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { Settings } from '../../model/settings.ts';
import type { DocumentSink } from '../../segments/contract/component.ts';
import { type DocumentEntries, entryOf } from '../../segments/contract/document-entries.ts';
import { type StoredEmbedder, storedEmbedders } from '../../segments/vectors/stored-embedders.ts';
import { DocumentWithEntries } from '../files/document-with-entries.ts';
import { documentJson, LiveCopies, type LiveCopy } from '../files/live-copies.ts';
import type { LiveVectors } from '../files/live-vectors.ts';
import { givenVectors } from './carried-entries.ts';
import {
  appliedFragments,
  documentInputs,
  hasSameInputs,
  type InputsOf,
  missingVectors,
  requestVectors,
} from './document-inputs.ts';
import {
  type EmbeddingRequest,
  type GeneratedRows,
  type GeneratedVectors,
  generatedRows,
  RequestBuilder,
} from './embedding-request.ts';

const decoder = new TextDecoder();

/** A document about to be written, with its living copy, which is read on demand. */
class WrittenDocument {
  readonly #docId: number;
  readonly entries: DocumentEntries;
  readonly #copies: LiveCopies;
  #copy: LiveCopy | null | undefined;

  constructor(docId: number, entries: DocumentEntries, copies: LiveCopies) {
    this.#docId = docId;
    this.entries = entries;
    this.#copies = copies;
  }

  get copy(): LiveCopy | null {
    if (this.#copy === undefined) this.#copy = this.#copies.find(this.#docId);
    return this.#copy;
  }

  /** The action for an embedder, with the earlier state as far as the action needs it. */
  decide(embedder: StoredEmbedder): {
    readonly action: ReturnType<typeof vectorAction>;
    readonly stored: StoredVectors;
  } {
    const given = givenVectors(this.entries.get(embedder));
    const isOwn = given === 'vectors' || given === 'noVectors';
    const stored = isOwn ? 'none' : (this.copy?.stateOf(embedder) ?? 'none');
    return { action: vectorAction(given, stored, embedder.isUserProvided), stored };
  }
}

interface Asked {
  readonly embedder: StoredEmbedder;
  readonly inputsOf: InputsOf;
  readonly request: RequestBuilder;
}

export class InputCollector implements DocumentSink {
  readonly #copies: LiveCopies;
  readonly #asked: readonly Asked[];

  /** @param segments as they are before the documents are written */
  constructor(settings: Settings, segments: readonly LiveVectors[]) {
    this.#copies = new LiveCopies(segments);
    this.#asked = storedEmbedders(settings)
      .filter(({ isUserProvided }) => !isUserProvided)
      .map((embedder) => ({
        embedder,
        inputsOf: documentInputs(settings, embedder.name),
        request: new RequestBuilder(embedder.name),
      }));
  }

  add(docId: number, id: Uint8Array, tape: JsonTape, entries: DocumentEntries): void {
    const document = new WrittenDocument(docId, entries, this.#copies);
    for (const { embedder, inputsOf, request } of this.#asked) {
      const { action, stored } = document.decide(embedder);
      if (action !== 'generate') continue;
      const written = { docId, id: decoder.decode(id), document: documentJson(tape) };
      const copy = stored === 'generated' ? document.copy : null;
      const before = copy && {
        inputsOf,
        document: copy.json,
        vectorCount: copy.storedVectors(embedder.name).vectors.length,
      };
      requestVectors(request, written, inputsOf, before);
    }
  }

  finish(): EmbeddingRequest[] {
    return this.#asked.map(({ request }) => request.finish());
  }
}

export class CompletedDocuments implements DocumentSink {
  readonly #sink: DocumentSink;
  readonly #copies: LiveCopies;
  readonly #settings: Settings;
  readonly #embedders: readonly StoredEmbedder[];
  readonly #generated: ReadonlyMap<string, GeneratedRows>;
  readonly #completed = new DocumentWithEntries();
  /** By embedder that has fragments. */
  readonly #fragmentsOf: ReadonlyMap<string, NonNullable<ReturnType<typeof appliedFragments>>>;

  /** @param segments as they are before the documents are written */
  constructor(
    sink: DocumentSink,
    settings: Settings,
    segments: readonly LiveVectors[],
    generated: readonly GeneratedVectors[],
  ) {
    this.#sink = sink;
    this.#settings = settings;
    this.#copies = new LiveCopies(segments);
    this.#embedders = storedEmbedders(settings);
    this.#generated = generatedRows(generated);
    this.#fragmentsOf = new Map(
      this.#embedders.flatMap(({ name }) => {
        const fragmentsOf = appliedFragments(settings, name);
        return fragmentsOf === null ? [] : [[name, fragmentsOf]];
      }),
    );
  }

  /** @throws ApiError `vector_embedding_error` for a new document without vectors it must bring */
  add(docId: number, id: Uint8Array, tape: JsonTape, entries: DocumentEntries): void {
    const document = new WrittenDocument(docId, entries, this.#copies);
    /** JSON of the living copies' `_vectors` entries, by embedder. */
    const kept = new Map<string, string>();
    for (const embedder of this.#embedders) {
      const vectors = this.#generated.get(embedder.name)?.of(docId);
      if (vectors !== undefined) entries.set(embedder.name, entryOf(vectors, true));
      else this.#keep(embedder, document, { id, tape }, kept);
      this.#nameFragments(embedder, tape, entries);
    }
    this.#sink.add(docId, id, this.#completed.of(tape, kept), entries);
  }

  /**
   * Fragments of vectors that the document brings and the embedder may regenerate, such as those of
   * dumps: the fragments that apply, one vector each, if the counts match.
   */
  #nameFragments(embedder: StoredEmbedder, tape: JsonTape, entries: DocumentEntries): void {
    const fragmentsOf = this.#fragmentsOf.get(embedder.name);
    const entry = entries.get(embedder);
    if (fragmentsOf === undefined || !entry?.hasVectors || !entry.regenerate) return;
    if (entry.fragments.length > 0) return;
    const fragments = fragmentsOf(documentJson(tape));
    if (fragments.length === entry.vectors.length)
      entries.set(embedder.name, entryOf({ vectors: entry.vectors, fragments }, true));
  }

  /** True if both render to the same text, by the default template for a user-provided embedder. */
  #hasTextOf(copy: LiveCopy | null, tape: JsonTape, embedder: string): boolean {
    const inputsOf = documentInputs(this.#settings, embedder);
    return copy !== null && hasSameInputs(inputsOf, copy.json, documentJson(tape));
  }

  /** Fragments of vectors that were not made in this batch but existed before. */
  #keep(
    embedder: StoredEmbedder,
    document: WrittenDocument,
    { id, tape }: { readonly id: Uint8Array; readonly tape: JsonTape },
    kept: Map<string, string>,
  ): void {
    const { name } = embedder;
    const { action, stored } = document.decide(embedder);
    if (action === 'store' || action === 'drop') return;
    const { copy } = document;
    const isRefused =
      action === 'refuse' || (action === 'keepForText' && !this.#hasTextOf(copy, tape, name));
    if (isRefused) throw missingVectors(decoder.decode(id), name);
    if (copy === null) {
      const text = decoder.decode(id);
      throw new Error(`no vectors of \`${name}\` were made for document ${text}`);
    }
    const isGenerated = stored === 'generated' && !embedder.isUserProvided;
    const own = isGenerated ? null : copy.entries.get(embedder);
    const isInFile = own === null || (embedder.isUserProvided && own.hasVectors);
    if (!isInFile) kept.set(name, copy.jsonOf(name));
    const regenerate = action === 'generate' || own?.regenerate === true;
    const isStored = own !== null && (own.hasVectors || !own.regenerate);
    const entry = isStored ? own : entryOf(copy.storedVectors(name), regenerate);
    document.entries.set(name, entry);
  }
}
