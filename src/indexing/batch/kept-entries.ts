/**
 * Documents that say nothing of an embedder get what their living copies say of it (api.md 12.6):
 * vectors that came with a document outlive its replacement.
 */
import { appendMembers } from '../../engine/json/append-members.ts';
import { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import { JsonTape } from '../../engine/json/json-tape.ts';
import { isLive } from '../../engine/sets/tombstones.ts';
import { vectorJson } from '../../model/vector-json.ts';
import type { DocumentSink } from '../../segments/contract/component.ts';
import {
  EntryReader,
  jsonValue,
  VECTORS_FIELD,
  vectorsNode,
} from '../../segments/vectors/document-entries.ts';
import type { DeclaredEmbedder } from '../../segments/vectors/embedder-settings.ts';
import { missingVectors } from '../../segments/vectors/vectors-component.ts';
import type { LiveVectors } from '../files/live-vectors.ts';

interface EmbedderEntries {
  readonly embedder: DeclaredEmbedder;
  readonly reader: EntryReader;
}

/** Passes documents on to a sink. */
export class KeptEntries implements DocumentSink {
  readonly #sink: DocumentSink;
  readonly #segments: readonly LiveVectors[];
  readonly #embedders: readonly EmbedderEntries[];
  readonly #stored = new JsonTape();
  readonly #completed = new JsonTape();
  readonly #text = new ByteBuffer();

  /** @param segments as they are before the documents are written */
  constructor(
    sink: DocumentSink,
    embedders: readonly DeclaredEmbedder[],
    segments: readonly LiveVectors[],
  ) {
    this.#sink = sink;
    this.#segments = segments;
    this.#embedders = embedders.map((embedder) => ({
      embedder,
      // Where an entry lies is all that is asked of it.
      reader: new EntryReader({ ...embedder, dimensions: 0 }),
    }));
  }

  /** @throws ApiError `vector_embedding_error` for a new document without vectors it must bring */
  add(docId: number, id: Uint8Array, tape: JsonTape): void {
    const silent = this.#embedders.filter(({ reader }) => reader.node(tape) < 0);
    const kept = silent.map(({ embedder, reader }) => {
      const entry = this.#keptEntry(docId, embedder, reader);
      if (entry !== null) return `${JSON.stringify(embedder.name)}:${entry}`;
      throw missingVectors(new TextDecoder().decode(id), embedder);
    });
    this.#sink.add(docId, id, kept.length === 0 ? tape : this.#with(tape, kept));
  }

  /** JSON of what the living copy has of the embedder as its own; null for nothing. */
  #keptEntry(docId: number, { name, isUserProvided }: DeclaredEmbedder, own: EntryReader) {
    const live = this.#segments.find(
      ({ reader, dead }) => isLive(docId, dead) && reader.ranks.rankOf(docId) >= 0,
    );
    if (live === undefined) return null;
    const json = live.reader.readDocument(docId);
    this.#stored.scan(json, 0, json.length);
    const entry = own.node(this.#stored);
    if (entry >= 0) return JSON.stringify(jsonValue(this.#stored, entry));
    const vectors = isUserProvided ? (live.vectors.get(name)?.vectorsOf(docId) ?? []) : [];
    return vectors.length === 0 ? null : `[${vectors.map(vectorJson).join(',')}]`;
  }

  /** The document with further members of `_vectors`. */
  #with(tape: JsonTape, members: readonly string[]): JsonTape {
    this.#text.clear();
    const vectors = vectorsNode(tape);
    const end = tape.end(vectors < 0 ? 0 : vectors);
    this.#text.pushRange(tape.bytes, tape.start(0), end);
    const list = members.join(',');
    appendMembers(this.#text, vectors < 0 ? `"${VECTORS_FIELD}":{${list}}` : list);
    this.#text.pushRange(tape.bytes, end, tape.end(0));
    this.#completed.scan(this.#text.bytes, 0, this.#text.length);
    return this.#completed;
  }
}
