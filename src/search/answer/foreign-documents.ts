/**
 * Joins: replaces values of foreign keys in hits by the documents that they refer to, as their
 * index displays them. Foreign keys of these documents are not followed.
 */
import type { Deadline } from '../../core/deadline.ts';
import { limits } from '../../core/limits.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
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
    [...foreign].map(([field, index]) => [field, documentWriter(index, room, deadline)]),
  );
}

/** Writes the documents that the values of one field refer to. */
function documentWriter(index: ForeignIndex, room: Room, deadline: Deadline): LeafWriter {
  const { snapshot } = index;
  const { displayedAttributes } = snapshot.manifest.settings;
  const documents = new StoredDocumentWriter(snapshot, {
    fields: retrievedFields(displayedAttributes, null),
    vectors: 'none',
  });
  /** By document id. */
  const known = new Map<string, Uint8Array>();
  const buffer = new ByteBuffer();
  const read = (id: string): Uint8Array => {
    deadline.check();
    const place = findDocument(snapshot, id);
    if (place === null || index.visible?.has(place.docId) === false) return UNKNOWN;
    buffer.clear();
    documents.write(place, buffer);
    return buffer.copy();
  };
  return {
    write(from: JsonTape, leaf: number, out: ByteBuffer): boolean {
      const id = documentIdText(from, leaf);
      if (id === null) return false;
      const document = known.get(id) ?? read(id);
      if (known.size < KNOWN_MAX) known.set(id, document);
      const left = room.bytes - document.length;
      room.bytes = Math.max(0, left);
      if (left < 0) return false;
      out.pushBytes(document);
      return true;
    },
  };
}
