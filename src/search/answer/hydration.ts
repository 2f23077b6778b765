/**
 * Joins: replaces values of foreign keys in hits by the documents that they refer to, as their
 * index displays them. Foreign keys of these documents are not followed.
 */
import { Deadline } from '../../core/deadline.ts';
import { limits } from '../../core/limits.ts';
import { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import { documentIdText } from '../../engine/json/document-id.ts';
import { stringText } from '../../engine/json/json-string.ts';
import { JsonKind, JsonTape } from '../../engine/json/json-tape.ts';
import { findDocument } from '../snapshot/document-place.ts';
import type { ForeignIndex, ForeignIndexes } from '../snapshot/foreign-indexes.ts';
import { retrievedFields, StoredDocumentWriter } from '../snapshot/stored-document.ts';
import type { LeafWriter } from './formatting/field-plan.ts';

/** Cached documents of one field, for later hits. */
const KNOWN_MAX = 1000;
const UNKNOWN = new TextEncoder().encode('{}');

/** Remaining budget of an answer for documents of other indexes. */
interface Room {
  bytes: number;
}

const tape = new JsonTape();
const scratch = new ByteBuffer();

/** Joins of the hits of one answer. */
export class Hydration {
  readonly #fields: ReadonlyMap<string, NamedDocuments>;
  /** Paths of the objects that contain the fields. */
  readonly #ways = new Set<string>();

  private constructor(foreign: ForeignIndexes, deadline: Deadline) {
    const room = { bytes: limits.foreignBytesPerAnswerMax };
    this.#fields = new Map(
      [...foreign].map(([field, index]) => [field, new NamedDocuments(index, room, deadline)]),
    );
    for (const field of foreign.keys())
      for (let dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1))
        this.#ways.add(field.slice(0, dot));
  }

  /** null when the search has no access to other indexes. */
  static of(foreign: ForeignIndexes, deadline = Deadline.never()): Hydration | null {
    return foreign.size === 0 ? null : new Hydration(foreign, deadline);
  }

  /** Writer for the values of a field; null when the field is not a foreign key. */
  writerOf(path: string): LeafWriter | null {
    return this.#fields.get(path) ?? null;
  }

  /** Rewrites the last document of the buffer. @param start offset of the document */
  hydrate(out: ByteBuffer, start: number): void {
    tape.scan(out.bytes, start, out.length);
    scratch.clear();
    const copiedTo = this.#copyObject(0, '', start);
    if (copiedTo === start) return;
    scratch.pushRange(tape.bytes, copiedTo, out.length);
    out.length = start;
    out.pushBytes(scratch.view());
  }

  /**
   * Copies the document up to the last replaced value below an object.
   * @param copiedTo end of the copied bytes
   * @returns the new end of the copied bytes
   */
  #copyObject(object: number, path: string, copiedTo: number): number {
    let copied = copiedTo;
    const after = tape.next(object);
    for (let key = object + 1; key < after; key = tape.next(key + 1)) {
      const name = stringText(tape, key);
      const below = path === '' ? name : `${path}.${name}`;
      if (this.#fields.has(below) || this.#ways.has(below))
        copied = this.#copyValue(key + 1, below, copied);
    }
    return copied;
  }

  #copyValue(node: number, path: string, copiedTo: number): number {
    const kind = tape.kind(node);
    if (kind === JsonKind.object) return this.#copyObject(node, path, copiedTo);
    if (kind === JsonKind.array) {
      let copied = copiedTo;
      const after = tape.next(node);
      for (let element = node + 1; element < after; element = tape.next(element))
        copied = this.#copyValue(element, path, copied);
      return copied;
    }
    const before = scratch.length;
    scratch.pushRange(tape.bytes, copiedTo, tape.start(node));
    if (this.#fields.get(path)?.write(tape, node, scratch)) return tape.end(node);
    scratch.length = before;
    return copiedTo;
  }
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
      vectors: false,
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
