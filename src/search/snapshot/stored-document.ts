/** Stored documents of a snapshot as JSON bytes, whole or cut to the fields asked for. */

import { appendMembers } from '../../engine/json/append-members.ts';
import type { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import {
  compileSelection,
  type FieldSelection,
  projectDocumentInto,
} from '../../engine/json/project-document.ts';
import { VECTORS_FIELD } from '../../model/embedder-settings.ts';
import type { DocumentPlace } from './document-place.ts';
import { documentVectors } from './document-vectors.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

/** What of documents an answer shows. */
export interface DocumentChoice {
  /** null = all. `_vectors` among them is passed over. */
  readonly fields: readonly string[] | null;
  readonly showsVectors: boolean;
}

/** Writes documents with the fields of one choice; compiled once an answer. */
export class StoredDocumentWriter {
  readonly #snapshot: IndexSnapshot;
  readonly #selection: FieldSelection | null;
  readonly #showsVectors: boolean;
  /** Selections of all fields but the vectors, by segment and shape. */
  readonly #withoutVectors = new Map<readonly string[], FieldSelection>();

  constructor(snapshot: IndexSnapshot, { fields, showsVectors }: DocumentChoice) {
    this.#snapshot = snapshot;
    this.#selection =
      fields === null ? null : compileSelection(fields.filter((name) => name !== VECTORS_FIELD));
    this.#showsVectors = showsVectors;
  }

  /** Returns the whole document as stored. */
  write(place: DocumentPlace, out: ByteBuffer): Uint8Array {
    const { segment, docId } = place;
    const json = segment.readDocument(docId);
    const selection = this.#selection ?? this.#selectionOf(segment.shapes[segment.shapeOf(docId)]!);
    if (selection) projectDocumentInto(json, selection, out);
    else out.pushRange(json, 0, json.length);
    if (this.#showsVectors)
      appendMembers(out, `"${VECTORS_FIELD}":${documentVectors(this.#snapshot, place, json)}`);
    return json;
  }

  #selectionOf(shape: readonly string[]): FieldSelection | null {
    if (!shape.includes(VECTORS_FIELD)) return null;
    let selection = this.#withoutVectors.get(shape);
    if (!selection) {
      selection = compileSelection(shape.filter((name) => name !== VECTORS_FIELD));
      this.#withoutVectors.set(shape, selection);
    }
    return selection;
  }
}

/**
 * Fields of a hit: `displayedAttributes` bounds `attributesToRetrieve`, by exact path; null = all.
 */
export function retrievedFields(
  displayed: readonly string[],
  requested: readonly string[] | null,
): readonly string[] | null {
  const asked = requested === null || requested.includes('*') ? null : requested;
  if (displayed.includes('*')) return asked;
  return asked === null ? displayed : asked.filter((name) => displayed.includes(name));
}
