/**
 * Joins: replaces values of foreign keys in hits by the documents that they refer to, as their
 * index displays them. Foreign keys of these documents are not followed.
 */
import type { Deadline } from '../../core/deadline.ts';
import { limits } from '../../core/limits.ts';
import { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import { documentIdText } from '../../engine/json/document-id.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { LeafWriter } from '../../engine/json/replace-values.ts';
import { findDocument } from '../snapshot/document-place.ts';
import type { ForeignIndex, ForeignIndexes } from '../snapshot/foreign-indexes.ts';
import { retrievedFields, StoredDocumentWriter } from '../snapshot/stored-document.ts';

/** Cached documents of one field, for later hits. */
const KNOWN_MAX = 1000;
const UNKNOWN = new TextEncoder().encode('{}');

/** Remaining budget of an answer for documents of other indexes. */
interface Room {
  bytes: number;
}

/** Writers for the values of foreign keys in the hits of one answer, by field. */
export function foreignDocumentWriters(
  foreign: ForeignIndexes,
  deadline: Deadline,
): ReadonlyMap<string, LeafWriter> {
  const room = { bytes: limits.foreignBytesPerAnswerMax };
  return new Map(
    [...foreign].map(([field, index]) => [field, new NamedDocuments(index, room, deadline)]),
  );
}

/** The documents that the values of one field refer to. */
class NamedDocuments implements LeafWriter {
  readonly #index: ForeignIndex;
  readonly #room: Room;
  readonly #deadline: Deadline;
  readonly #documents: StoredDocumentWriter;
  /** By document id. */
  readonly #known = new Map<string, Uint8Array>();
  readonly #document = new ByteBuffer();

  constructor(index: ForeignIndex, room: Room, deadline: Deadline) {
    const { displayedAttributes } = index.snapshot.manifest.settings;
    this.#index = index;
    this.#room = room;
    this.#deadline = deadline;
    this.#documents = new StoredDocumentWriter(index.snapshot, {
      fields: retrievedFields(displayedAttributes, null),
      vectors: 'none',
    });
  }

  write(from: JsonTape, leaf: number, out: ByteBuffer): boolean {
    const id = documentIdText(from, leaf);
    if (id === null) return false;
    const document = this.#documentOf(id);
    const left = this.#room.bytes - document.length;
    this.#room.bytes = Math.max(0, left);
    if (left < 0) return false;
    out.pushBytes(document);
    return true;
  }

  #documentOf(id: string): Uint8Array {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const document = this.#read(id);
    if (this.#known.size < KNOWN_MAX) this.#known.set(id, document);
    return document;
  }

  #read(id: string): Uint8Array {
    this.#deadline.check();
    const { snapshot, visible } = this.#index;
    const place = findDocument(snapshot, id);
    if (place === null || (visible !== null && !visible.has(place.docId))) return UNKNOWN;
    this.#document.clear();
    this.#documents.write(place, this.#document);
    return this.#document.copy();
  }
}
